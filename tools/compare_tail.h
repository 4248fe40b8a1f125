/* SPDX-License-Identifier: MIT */
/*
 * Percentiles of both sides, from the pooled histograms of a side's runs. The
 * interval is bootstrapped: runs are drawn with replacement, and their
 * histograms pooled.
 */
#ifndef SELFMON_TOOLS_COMPARE_TAIL_H
#define SELFMON_TOOLS_COMPARE_TAIL_H

#include "compare.h"

/* Compares a percentile of both sides; returns false without histograms. */
bool compare_tail(const struct compare *compare,
		  const struct compare_region *region, double quantile,
		  struct compare_cell *cell);

#endif
