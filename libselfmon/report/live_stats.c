/* SPDX-License-Identifier: MIT */
/*
 * Statistics out of a live file. Of a process that was killed an update may be
 * under way for ever: the visit counts, and what can be told from its sums is
 * put right. In a file that was tampered with anything may stand: what comes
 * out of here can be, whatever went in.
 */
#include "report/live_read.h"

__extension__ typedef unsigned __int128 wide;

/*
 * Of a process that goes on. One that is in visits of this place all the time
 * comes here more often than three system calls can be made.
 */
#define TRIES 50
/* Reads of an odd sequence alike: nobody will end that update soon. */
#define STANDSTILL 3

/* The sequence, the rest, and the sequence again, as read.c does. */
static int read_once(struct selfmon_live_input *input, uint64_t offset,
		     struct selfmon_stats *stats, bool *whole)
{
	uint64_t before, after;
	int error;

	*whole = false;
	error = selfmon_live_get(input, offset, &before, sizeof(before));
	if (error)
		return error;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	error = selfmon_live_get(input, offset, stats, sizeof(*stats));
	if (error)
		return error;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	error = selfmon_live_get(input, offset, &after, sizeof(after));
	*whole = before == after && stats->sequence == before;
	return error;
}

/*
 * whole: all of one moment, between updates. Otherwise an update stands still,
 * or there is no moment's peace: sums may be some visits ahead of their count.
 */
static int read_whole(struct selfmon_live_input *input, uint64_t offset,
		      struct selfmon_stats *stats, bool *whole)
{
	int tries, odd = 0, error = 0;

	*whole = false;
	for (tries = 0; tries < TRIES && !error && odd < STANDSTILL; tries++) {
		error = read_once(input, offset, stats, whole);
		if (*whole && !(stats->sequence & 1))
			return error;
		odd = *whole ? odd + 1 : 0;
	}
	*whole = false;
	return error;
}

/* Of so many visits; true: something had to be put right. */
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

/* A value that was not recorded yet when the process ended is none. */
static bool bound_counter(struct selfmon_stats *stats, size_t i,
			  uint64_t visits)
{
	const uint64_t foreign = stats->rare[SELFMON_RARE_FOREIGN];

	no_more_than(&stats->left_out[i], visits - foreign);
	return bound(&stats->counter[i],
		     visits - foreign - stats->left_out[i]);
}

static bool bound_all(struct selfmon_stats *stats)
{
	const uint64_t visits = selfmon_stats_visits(stats);
	bool mended = bound(&stats->ticks, visits);
	size_t i;

	no_more_than(&stats->rare[SELFMON_RARE_FOREIGN], visits);
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		if (stats->counter[i].max || stats->counter[i].sum ||
		    stats->left_out[i])
			mended |= bound_counter(stats, i, visits);
	no_more_than(&stats->scaled_off_ns, stats->scaled_enabled_ns);
	no_more_than(&stats->off_ticks[0], stats->ticks.sum);
	no_more_than(&stats->off_ticks[1], stats->ticks.sum);
	return mended;
}

int selfmon_live_stats(struct selfmon_live_input *input, uint64_t offset,
		       struct selfmon_stats *stats, bool *updating)
{
	bool whole;
	const int error = read_whole(input, offset, stats, &whole);

	if (error)
		return error;
	if (stats->last > SELFMON_BUCKET_NONE)
		return selfmon_live_wrong(
			input, offset + offsetof(struct selfmon_stats, last),
			"no such bucket of a histogram");
	*updating = stats->sequence & 1;
	stats->sequence += *updating;
	stats->histogram[stats->last]++; /* see selfmon_histogram_put() */
	if (bound_all(stats) || !whole)
		stats->rare[SELFMON_RARE_REPAIRED]++;
	return 0;
}
