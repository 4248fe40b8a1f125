/* SPDX-License-Identifier: MIT */
/* Extrapolation from measured visits to all, if one visit in N is measured. */
#ifndef SELFMON_REPORT_SAMPLED_H
#define SELFMON_REPORT_SAMPLED_H

#include "report/gather.h"

/* Returns the visits that were only counted. */
static inline uint64_t
selfmon_sampled_skipped(const struct selfmon_gathered *from)
{
	return from->stats.rare[SELFMON_RARE_SKIPPED];
}

/* column -1: time, in ticks. */
static inline const struct selfmon_sums *
selfmon_sampled_sums(const struct selfmon_gathered *from, int column)
{
	return column < 0 ? &from->stats.ticks : &from->stats.counter[column];
}

/*
 * Returns the ratio of all visits' values to those of the measured visits: 1 if
 * all visits were measured.
 */
double selfmon_sampled_factor(const struct selfmon_gathered *from, int column);

#endif
