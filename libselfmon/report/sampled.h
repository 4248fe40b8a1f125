/* SPDX-License-Identifier: MIT */
/* What the measured visits stand for, where one visit in N is measured. */
#ifndef SELFMON_REPORT_SAMPLED_H
#define SELFMON_REPORT_SAMPLED_H

#include "report/gather.h"

/* Visits that were only counted. */
static inline uint64_t
selfmon_sampled_skipped(const struct selfmon_gathered *from)
{
	return from->stats.rare[SELFMON_RARE_SKIPPED];
}

/* Column -1: time, in ticks. */
static inline const struct selfmon_sums *
selfmon_sampled_sums(const struct selfmon_gathered *from, int column)
{
	return column < 0 ? &from->stats.ticks : &from->stats.counter[column];
}

/*
 * Returns how many times as much as the measured visits all of them come to: 1
 * where all were measured.
 */
double selfmon_sampled_factor(const struct selfmon_gathered *from, int column);

#endif
