/* SPDX-License-Identifier: MIT */
/* Buckets of the histogram of ticks. */
#ifndef SELFMON_REPORT_BUCKET_H
#define SELFMON_REPORT_BUCKET_H

#include "store/statistics.h"

/* Returns the shortest visit of a bucket, in ticks. */
uint64_t selfmon_gather_low(unsigned int bucket);
/*
 * Returns the middle of a bucket, in ticks; for the last bucket,
 * which is unbounded, the longest visit.
 */
double selfmon_gather_middle(const struct selfmon_stats *stats,
			     unsigned int bucket);

#endif
