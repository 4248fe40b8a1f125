/* SPDX-License-Identifier: MIT */
/* Quantiles of a histogram of ticks. */
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

double selfmon_gather_quantile(const struct selfmon_stats *stats,
			       unsigned int percent)
{
	uint64_t total = 0, below = 0, rank;
	unsigned int b;

	for (b = 0; b < SELFMON_BUCKETS; b++)
		total += stats->histogram[b];
	rank = total / 100 * percent + (total % 100 * percent + 99) / 100;
	for (b = 0; b < SELFMON_BUCKETS - 1; b++) {
		below += stats->histogram[b];
		if (below >= rank)
			break;
	}
	return selfmon_gather_middle(stats, b);
}
