/* SPDX-License-Identifier: MIT */
/*
 * Reads statistics from a live file. If the process was killed, an update may
 * never finish. The file may also be damaged or forged. The values are repaired
 * as in memory (store/mend.c).
 */
#include "report/live_stats.h"

#include "report/live_read.h"
#include "store/statistics.h"

/*
 * The limit for a running process: a thread that visits this node constantly
 * updates the statistics faster than three system calls can read them.
 */
#define TRIES 50
/*
 * If this number of reads finds the same odd sequence, the update is stalled.
 */
#define STANDSTILL 3

/* Reads the sequence, the rest, and the sequence again, as copy.c does. */
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
 * Sets whole if the statistics are consistent, which means read between two
 * updates. Otherwise an update is stalled, or updates were too frequent: the
 * sums may then include some visits more than the count.
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

int selfmon_live_stats(struct selfmon_live_input *input, uint64_t offset,
		       struct selfmon_stats *stats, bool *whole)
{
	const int error = read_whole(input, offset, stats, whole);

	if (error)
		return error;
	if (stats->last > SELFMON_BUCKET_NONE)
		return selfmon_live_wrong(
			input, offset + offsetof(struct selfmon_stats, last),
			"invalid histogram bucket");
	return 0;
}
