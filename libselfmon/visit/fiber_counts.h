/* SPDX-License-Identifier: MIT */
/* The events of a fiber's visits. */
#ifndef SELFMON_VISIT_FIBER_COUNTS_H
#define SELFMON_VISIT_FIBER_COUNTS_H

#include "store/fiber.h"

struct selfmon_fiber_values
selfmon_fiber_values(const struct selfmon_thread *thread);

/* Keeps what a visit's values are at this moment, less those of its start. */
void selfmon_fiber_keep_counts(const struct selfmon_counters *set,
			       const struct selfmon_visit *open,
			       const struct selfmon_snapshot *now,
			       struct selfmon_suspended *kept);
/* Makes a start with which the visit has these values now. */
void selfmon_fiber_resume_counts(const struct selfmon_counters *set,
				 struct selfmon_visit *open,
				 const struct selfmon_snapshot *now,
				 const struct selfmon_suspended *kept);

/*
 * The first n visits lose their values if those are not the ones of this
 * thread's events. A fiber that begins has none.
 */
void selfmon_fiber_match(const struct selfmon_thread *thread,
			 struct selfmon_fiber *fiber, unsigned int n);

#endif
