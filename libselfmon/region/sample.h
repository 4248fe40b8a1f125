/* SPDX-License-Identifier: MIT */
/*
 * One visit in N is measured (SELFMON_EVERY), all are counted.
 *
 * A node's visits fall into groups of 1, 1, 2, 4, 8 and so on up to N, then of
 * N each. Of each group one visit is measured, at a random place, and stands
 * for its group: whatever is periodic in the program, each visit of a group
 * has the same chance. The first visit, which is colder than the others,
 * stands for itself; a region of few visits has some that are measured.
 */
#ifndef SELFMON_REGION_SAMPLE_H
#define SELFMON_REGION_SAMPLE_H

#include "region/state.h"

/* What thread->random starts with: 0 where all visits are measured. */
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
 * The thread's newest visit ends, and is recorded. Adds what it came to beyond
 * before, weighted (NULL: it was only counted), and counts it as inside of the
 * visit around it.
 */
void selfmon_sample_end(struct selfmon_thread *thread,
			const struct selfmon_sample_sums *before);

#endif
