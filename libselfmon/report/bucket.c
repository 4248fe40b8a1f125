/* SPDX-License-Identifier: MIT */
/* Buckets of the histogram of ticks. */
#include "report/bucket.h"

/* Buckets are offset by 4, see SELFMON_BUCKETS. */
uint64_t selfmon_gather_low(unsigned int bucket)
{
	if (bucket >= SELFMON_BUCKETS - 1)
		return SELFMON_TICKS_LONG;
	return ((uint64_t)(4 + bucket % 4) << bucket / 4) - 4;
}

double selfmon_gather_middle(const struct selfmon_stats *stats,
			     unsigned int bucket)
{
	if (bucket >= SELFMON_BUCKETS - 1)
		return (double)stats->ticks.max;
	return (double)(selfmon_gather_low(bucket) +
			selfmon_gather_low(bucket + 1) - 1) / 2;
}
