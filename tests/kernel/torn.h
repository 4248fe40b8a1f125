/* SPDX-License-Identifier: MIT */
/* Ends an update of statistics that a test began and left unfinished. */
#ifndef SELFMON_TESTS_KERNEL_TORN_H
#define SELFMON_TESTS_KERNEL_TORN_H

#include "store/stats.h"

/*
 * Records a visit with the shortest time and the smallest counts so far, which
 * are always plausible. A visit without values would be repaired by a reader.
 */
static inline void torn_finish(struct selfmon_stats *stats)
{
	size_t i;

	selfmon_sums_add(&stats->ticks, stats->ticks.min);
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		if (stats->counter[i].sum)
			selfmon_sums_add(&stats->counter[i],
					 stats->counter[i].min);
	selfmon_stats_end(stats);
}

#endif
