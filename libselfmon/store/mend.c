/* SPDX-License-Identifier: MIT */
#include "store/mend.h"

__extension__ typedef unsigned __int128 wide;

/*
 * Limits the sum, min and max to values that are possible together, with this
 * number of visits. Returns true if any of them changed and there are visits.
 */
static bool bound(struct selfmon_sums *sums, uint64_t visits)
{
	const struct selfmon_sums before = *sums;

	if (visits == 0) {
		*sums = (struct selfmon_sums){ .min = UINT64_MAX };
		return false;
	}
	if (visits == 1)
		sums->min = sums->max = sums->sum;
	if (sums->min > sums->max)
		sums->min = sums->max;
	if ((wide)visits * sums->min > UINT64_MAX)
		sums->min = sums->sum / visits;
	if (sums->sum < visits * sums->min)
		sums->sum = visits * sums->min;
	if ((wide)visits * sums->max < sums->sum)
		sums->max = sums->sum - (visits - 1) * sums->min;
	return before.sum != sums->sum || before.min != sums->min ||
	       before.max != sums->max;
}

static void no_more_than(uint64_t *value, uint64_t limit)
{
	if (*value > limit)
		*value = limit;
}

/*
 * Like bound(), for a counter. The visits that left its value out do not count.
 */
static bool bound_counter(struct selfmon_stats *stats, size_t i,
			  uint64_t visits)
{
	no_more_than(&stats->left_out[i], visits);
	return bound(&stats->counter[i], visits - stats->left_out[i]);
}

bool selfmon_stats_mend(struct selfmon_stats *stats)
{
	const uint64_t visits =
		selfmon_stats_visits(stats) + (stats->sequence & 1);
	bool mended = bound(&stats->ticks, visits);
	size_t i;

	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		if (stats->counter[i].max || stats->counter[i].sum ||
		    stats->left_out[i])
			mended |= bound_counter(stats, i, visits);
	no_more_than(&stats->scaled_off_ns, stats->scaled_enabled_ns);
	no_more_than(&stats->off_ticks[0], stats->ticks.sum);
	no_more_than(&stats->off_ticks[1], stats->ticks.sum);
	return mended;
}

bool selfmon_stats_complete(struct selfmon_stats *copy, bool whole)
{
	const bool updating = copy->sequence & 1;

	if (selfmon_stats_mend(copy) || !whole)
		copy->rare[SELFMON_RARE_REPAIRED]++;
	copy->sequence += updating;
	copy->histogram[copy->last]++; /* see selfmon_histogram_put() */
	return updating;
}
