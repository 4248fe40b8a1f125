/* SPDX-License-Identifier: MIT */
/* Saves a fiber's visits, and restores them. */
#ifndef SELFMON_VISIT_FIBER_VISITS_H
#define SELFMON_VISIT_FIBER_VISITS_H

#include "store/fiber.h"

/* Takes the snapshot with which the visits are suspended. */
void selfmon_fiber_read_end(const struct selfmon_thread *thread,
			    struct selfmon_snapshot *now);

/*
 * Saves the visits of the fiber that the thread runs, unless they are already
 * saved because a handler jumped out of an earlier switch. Then frees their
 * entries.
 */
void selfmon_fiber_suspend(struct selfmon_thread *thread,
			   const struct selfmon_snapshot *now);
/*
 * Restores the fiber's visits. before is the snapshot with which the old fiber
 * was suspended. *now receives the snapshot from which the new fiber continues.
 * If both are the same struct, no second snapshot is taken.
 */
void selfmon_fiber_resume(struct selfmon_thread *thread,
			  struct selfmon_fiber *fiber,
			  const struct selfmon_snapshot *before,
			  struct selfmon_snapshot *now);

#endif
