/* SPDX-License-Identifier: MIT */
/* A switch of fibers in a thread that counts events. */
#ifndef SELFMON_VISIT_FIBER_COUNTED_H
#define SELFMON_VISIT_FIBER_COUNTED_H

#include "store/fiber.h"

/*
 * Switches to a fiber: by the fast path if the thread counts up to four events
 * and fiber_counted.c handles both fibers, else by the general path.
 */
void selfmon_fiber_switch_counted(struct selfmon_thread *thread,
				  struct selfmon_fiber *from,
				  struct selfmon_fiber *fiber);

#endif
