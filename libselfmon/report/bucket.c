/* SPDX-License-Identifier: MIT */
/* Buckets of a histogram of ticks. */
#include "report/gather.h"

double selfmon_gather_middle(const struct selfmon_stats *stats,
			     unsigned int bucket)
{
	const unsigned int b = bucket;

	if (b >= SELFMON_BUCKETS - 1)
		return (double)stats->ticks.max;
	/* From (4 + b % 4) << shift on, 1 << shift wide; less the 4. */
	return (4 + b % 4) * (double)(UINT64_C(1) << b / 4) +
	       (double)((UINT64_C(1) << b / 4) - 1) / 2 - 4;
}
