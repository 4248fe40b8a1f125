/* SPDX-License-Identifier: MIT */
/*
 * One visit in N is measured (SELFMON_EVERY); all are counted.
 *
 * A node's visits fall into groups of 1, 1, 2, 4, 8 and so on up to N, then of
 * N each. One visit of each group is measured, at a random position, and stands
 * for its group. Each visit of a group has the same chance, so that periodic
 * behaviour of the program does not bias the sample. The first visit, which is
 * colder than the others, stands for itself; a region with few visits still has
 * some measured ones.
 */
#ifndef SELFMON_STORE_SAMPLE_H
#define SELFMON_STORE_SAMPLE_H

#include "store/state.h"

/* Returns the first value of thread->random; 0: all visits are measured. */
uint32_t selfmon_sample_seed(const struct selfmon_thread *thread);

/* Returns true if a visit of node that begins now is only counted. */
bool selfmon_sample_skips(struct selfmon_thread *thread,
			  struct selfmon_node *node);

/* The sums of a node before a visit of it is recorded. */
struct selfmon_sample_sums {
	uint64_t ticks;
	uint64_t counter[SELFMON_MAX_COUNTERS];
};
void selfmon_sample_look(const struct selfmon_stats *stats,
			 struct selfmon_sample_sums *sums);

/*
 * Called when the thread's newest visit ends and is recorded. Adds the visit's
 * values beyond before, weighted, and counts the visit as inside of its parent.
 * before is NULL if the visit was only counted.
 */
void selfmon_sample_end(struct selfmon_thread *thread,
			const struct selfmon_sample_sums *before);

#endif
