/* SPDX-License-Identifier: MIT */
/*
 * One visit in N is measured (SELFMON_EVERY), all are counted.
 *
 * The first visit of a node is measured and stands for itself alone: it is
 * colder than the others, and may be the only one. Of each N visits after it
 * one is measured, at a random place among them: whatever is periodic in the
 * program, each visit has the same chance, and their number is known.
 */
#ifndef SELFMON_REGION_SAMPLE_H
#define SELFMON_REGION_SAMPLE_H

#include "region/state.h"

/* What thread->random starts with: 0 where all visits are measured. */
uint32_t selfmon_sample_seed(const struct selfmon_thread *thread);

/* Returns true if a visit of node that begins now is only counted. */
bool selfmon_sample_skips(struct selfmon_thread *thread,
			  struct selfmon_node *node);

/*
 * The thread's newest visit ends, and is recorded. Notes what it had inside
 * of it, and tells the visit around it that it was inside of that.
 */
void selfmon_sample_end(struct selfmon_thread *thread, bool measured);

#endif
