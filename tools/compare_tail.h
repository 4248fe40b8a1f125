/* SPDX-License-Identifier: MIT */
/*
 * Compares percentiles. The percentiles of a side are computed from the sum of
 * its runs' histograms. The confidence interval is bootstrapped: runs are drawn
 * with replacement, and their histograms are added.
 */
#ifndef SELFMON_TOOLS_COMPARE_TAIL_H
#define SELFMON_TOOLS_COMPARE_TAIL_H

#include "compare.h"

/*
 * Compares a percentile of both sides. Returns false if a side has no
 * histograms, or too few visits.
 */
bool compare_tail(const struct compare *compare,
		  const struct compare_region *region, double quantile,
		  struct compare_cell *cell);

#endif
