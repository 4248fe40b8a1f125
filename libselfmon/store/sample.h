/* SPDX-License-Identifier: MIT */
/*
 * One visit in N is measured (SELFMON_EVERY); all are counted.
 *
 * The visits of a node are divided into groups of 1, 1, 2, 4, 8 and so on up to
 * N; all further groups have N visits. In each group one visit is measured, and
 * stands for the whole group. This visit is chosen at random, so that periodic
 * behaviour of the program does not bias the result. The first visit, which
 * runs with colder caches than the others, stands only for itself. A region
 * with few visits still has some measured ones.
 */
#ifndef SELFMON_STORE_SAMPLE_H
#define SELFMON_STORE_SAMPLE_H

#include "store/state.h"

/* Returns the first value of thread->random; 0 if all visits are measured. */
uint32_t selfmon_sample_seed(const struct selfmon_thread *thread);

/* Returns true if the visit of `node` that begins now is only counted. */
bool selfmon_sample_skips(struct selfmon_thread *thread,
			  struct selfmon_node *node);

/* A node's sums before the current visit is added. */
struct selfmon_sample_sums {
	uint64_t ticks;
	uint64_t counter[SELFMON_MAX_COUNTERS];
};
void selfmon_sample_look(const struct selfmon_stats *stats,
			 struct selfmon_sample_sums *sums);

/*
 * Call when the thread's newest visit has ended and is recorded. Adds the
 * visit's values with their weight; they are the differences between the node's
 * sums now and `before`. Counts the visit among those inside its parent. before
 * is NULL if the visit was only counted.
 */
void selfmon_sample_end(struct selfmon_thread *thread,
			const struct selfmon_sample_sums *before);

#endif
