/* SPDX-License-Identifier: MIT */
/*
 * Extrapolates from measured visits to all visits, if one visit in N is
 * measured.
 */
#ifndef SELFMON_REPORT_SAMPLED_H
#define SELFMON_REPORT_SAMPLED_H

#include "report/gather.h"

/* Returns the number of visits that were counted but not measured. */
static inline uint64_t
selfmon_sampled_skipped(const struct selfmon_gathered *from)
{
	return from->stats.rare[SELFMON_RARE_SKIPPED];
}

/* Returns the sums of a column, or of time in ticks if column is -1. */
static inline const struct selfmon_sums *
selfmon_sampled_sums(const struct selfmon_gathered *from, int column)
{
	return column < 0 ? &from->stats.ticks : &from->stats.counter[column];
}

/*
 * Returns the factor that extrapolates a sum over the measured visits to all
 * visits; 1 if all visits were measured.
 */
double selfmon_sampled_factor(const struct selfmon_gathered *from, int column);

#endif
