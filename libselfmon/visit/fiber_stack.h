/* SPDX-License-Identifier: MIT */
/*
 * The steps that every switch takes, inlined: closing enter to signal handlers,
 * exchanging the stack, and saving and restoring a visit that measures time.
 */
#ifndef SELFMON_VISIT_FIBER_STACK_H
#define SELFMON_VISIT_FIBER_STACK_H

#include <string.h>

#include "open/entry.h"
#include "store/fiber.h"
#include "store/memory.h"
#include "store/self.h"
#include "visit/visit.h"

/* No visit begins from here on. */
static ALWAYS_INLINE void
selfmon_fiber_gate_close(struct selfmon_thread *thread)
{
	selfmon_store_once(&thread->switching, 1);
	selfmon_compiler_fence();
	selfmon_store_once(&thread->low, SELFMON_LOW_NONE);
	selfmon_compiler_fence();
}

static ALWAYS_INLINE void selfmon_fiber_gate_open(struct selfmon_thread *thread)
{
	selfmon_compiler_fence();
	selfmon_store_once(&thread->switching, 0);
	selfmon_compiler_fence();
	if (selfmon_likely(selfmon_load_once(&thread->mode) ==
			   SELFMON_MODE_TIME))
		selfmon_store_once(&thread->low, thread->stack_low);
	selfmon_compiler_fence();
	/* A reader may have asked for a copy meanwhile. */
	if (selfmon_unlikely(selfmon_load_once(&thread->mode) !=
			     SELFMON_MODE_TIME))
		selfmon_thread_gate(thread);
}

static ALWAYS_INLINE void
selfmon_fiber_leave_stack(struct selfmon_thread *thread,
			  struct selfmon_fiber *fiber)
{
	if (fiber == thread->own) {
		fiber->stack = thread->stack;
		fiber->stack_low = thread->stack_low;
		fiber->stack_high = thread->stack_high;
	}
	fiber->running = NULL;
	fiber->ran = thread;
}

static ALWAYS_INLINE void
selfmon_fiber_enter_stack(struct selfmon_thread *thread,
			  struct selfmon_fiber *fiber)
{
	fiber->running = thread;
	selfmon_store_once(&thread->fiber, fiber);
	/* Between two fibers nothing changes: both have unknown bounds. */
	if (thread->stack_high == fiber->stack_high)
		return;
	thread->stack = fiber->stack;
	thread->stack_low = fiber->stack_low;
	thread->stack_high = fiber->stack_high;
	selfmon_store_once(&thread->open->mark, fiber->stack_high);
}

/* Saves the one cache line that a visit with time alone uses. */
static ALWAYS_INLINE void
selfmon_fiber_keep_line(const struct selfmon_visit *open, uint64_t now,
			struct selfmon_suspended *kept)
{
	memcpy(kept, open, SELFMON_LINE);
	kept->ticks -= now;
	kept->frame =
		(const void *)((uintptr_t)kept->frame | SELFMON_ENTRY_RESUMED);
	selfmon_rare_add(open->node->stats, SELFMON_RARE_SUSPENDED, 1);
}

#endif
