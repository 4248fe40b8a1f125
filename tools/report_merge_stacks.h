/* SPDX-License-Identifier: MIT */
/* Merges equal call stacks of several processes. */
#ifndef SELFMON_TOOLS_REPORT_MERGE_STACKS_H
#define SELFMON_TOOLS_REPORT_MERGE_STACKS_H

#include "report/samples.h"

/*
 * Merges equal stacks, and sorts the stacks. Returns 0, or TOOL_NO with a
 * message.
 */
int report_stacks_unite(struct selfmon_samples *samples);

#endif
