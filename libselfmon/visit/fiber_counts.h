/* SPDX-License-Identifier: MIT */
/*
 * Saves the counts of a fiber's open visits while the fiber is suspended; it
 * may resume in another thread.
 */
#ifndef SELFMON_VISIT_FIBER_COUNTS_H
#define SELFMON_VISIT_FIBER_COUNTS_H

#include "store/fiber.h"

struct selfmon_fiber_values
selfmon_fiber_values(const struct selfmon_thread *thread);

/*
 * Saves what the visit has counted so far, as negative numbers: the values at
 * its start minus the current values.
 */
void selfmon_fiber_keep_counts(const struct selfmon_counters *set,
			       const struct selfmon_visit *open,
			       const struct selfmon_snapshot *now,
			       struct selfmon_suspended *kept);
/*
 * Sets the visit's start so that it continues counting from the values that
 * were saved at the time `since`.
 */
void selfmon_fiber_resume_counts(const struct selfmon_counters *set,
				 struct selfmon_visit *open,
				 const struct selfmon_snapshot *now,
				 const struct selfmon_suspended *kept,
				 uint64_t since);

/*
 * If this thread counts other events than the fiber's last thread, marks the
 * values of the first n visits as lost. A new fiber has no values.
 */
void selfmon_fiber_match(const struct selfmon_thread *thread,
			 struct selfmon_fiber *fiber, unsigned int n);

/* Maximum number of values in a set for which fiber_counted.c works. */
#define SELFMON_FIBER_VALUES 4

/*
 * Returns a number that identifies the thread. It is never 0, although the id
 * of a calibration's thread is 0.
 */
static inline uint64_t selfmon_fiber_number(const struct selfmon_thread *thread)
{
	return thread->id | 1;
}

/*
 * Returns the thread's number if fiber_counted.c can switch between this fiber
 * and others in the thread, with this number of visits; else 0.
 */
uint64_t selfmon_fiber_counted(const struct selfmon_thread *thread,
			       const struct selfmon_fiber *fiber,
			       unsigned int visits);

#endif
