/* SPDX-License-Identifier: MIT */
/* Keeps the counts of a fiber's open visits while the fiber changes threads. */
#ifndef SELFMON_VISIT_FIBER_COUNTS_H
#define SELFMON_VISIT_FIBER_COUNTS_H

#include "store/fiber.h"

struct selfmon_fiber_values
selfmon_fiber_values(const struct selfmon_thread *thread);

/*
 * Keeps what the visit has counted so far: the current values minus those at
 * its start.
 */
void selfmon_fiber_keep_counts(const struct selfmon_counters *set,
			       const struct selfmon_visit *open,
			       const struct selfmon_snapshot *now,
			       struct selfmon_suspended *kept);
/* Sets the start so that the visit continues from the values that were kept. */
void selfmon_fiber_resume_counts(const struct selfmon_counters *set,
				 struct selfmon_visit *open,
				 const struct selfmon_snapshot *now,
				 const struct selfmon_suspended *kept);

/*
 * If this thread counts other events than the fiber's last thread did, marks
 * the values of the first n visits as lost. A new fiber has no values to lose.
 */
void selfmon_fiber_match(const struct selfmon_thread *thread,
			 struct selfmon_fiber *fiber, unsigned int n);

/* The most values of a set for which fiber_counted.c may switch. */
#define SELFMON_FIBER_VALUES 4

/* Identifies the thread. Never 0, but the id of a calibration's thread is 0. */
static inline uint64_t selfmon_fiber_number(const struct selfmon_thread *thread)
{
	return thread->id | 1;
}

/*
 * Returns the thread's number if fiber_counted.c may switch from and to this
 * fiber in the thread, with this number of visits; else 0.
 */
uint64_t selfmon_fiber_counted(const struct selfmon_thread *thread,
			       const struct selfmon_fiber *fiber,
			       unsigned int visits);

#endif
