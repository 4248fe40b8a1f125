/* SPDX-License-Identifier: MIT */
/*
 * Reads a node's statistics from a live file. If the process was killed, an
 * update may never finish. The file may also be damaged or forged. The values
 * are repaired like those in memory (store/mend.c).
 */
#include "report/live_stats.h"

#include "report/live_read.h"
#include "store/statistics.h"

/*
 * Maximum number of attempts while the process runs: a thread that constantly
 * visits this node updates the statistics faster than three system calls can
 * read them.
 */
#define TRIES 50
/*
 * If this number of reads in a row find an odd sequence that does not change
 * during the read, the process was probably killed during an update.
 */
#define STANDSTILL 3

/*
 * Reads the sequence, the statistics, and the sequence again, as store/copy.c
 * does in memory.
 */
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
 * Sets *whole to true if no update was in progress during the read. If *whole
 * is false, an update never finished, or updates were too frequent: the sums
 * may then include a few visits more than the count.
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
