/* SPDX-License-Identifier: MIT */
/*
 * Computes the verdicts. Each run contributes one value for a region and
 * column: the mean of the time or counter per visit, or the number of visits.
 * Percentiles are compared by compare_tail().
 *
 * A regression needs p < 0.05 after Holm's correction over the judged regions,
 * and the whole 95 % confidence interval of B / A above the gate. A region
 * without a significant change is "same" only if the interval is within the
 * gate.
 */
#ifndef SELFMON_TOOLS_COMPARE_JUDGE_H
#define SELFMON_TOOLS_COMPARE_JUDGE_H

#include "compare.h"

extern const char *const compare_verdict_name[COMPARE_VERDICTS + 1];

/* Computes all verdicts. Returns 0, or TOOL_USAGE with a message. */
int compare_judge(struct compare *compare);

#endif
