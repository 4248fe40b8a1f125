/* SPDX-License-Identifier: MIT */
/* A fiber's visits, taken off a thread and put on one. */
#ifndef SELFMON_VISIT_FIBER_VISITS_H
#define SELFMON_VISIT_FIBER_VISITS_H

#include "store/fiber.h"

/* Reads the end of visits that stop now. */
void selfmon_fiber_read_end(const struct selfmon_thread *thread,
			    struct selfmon_snapshot *now);

/*
 * Takes the visits of the thread's fiber off. If a handler jumped out of a
 * switch, that has kept them before.
 */
void selfmon_fiber_suspend(struct selfmon_thread *thread,
			   const struct selfmon_snapshot *now);
/*
 * Puts the fiber's visits on. before: the end of the old fiber. now: receives
 * the start of the new one; or the same, which is then that.
 */
void selfmon_fiber_resume(struct selfmon_thread *thread,
			  struct selfmon_fiber *fiber,
			  const struct selfmon_snapshot *before,
			  struct selfmon_snapshot *now);

#endif
