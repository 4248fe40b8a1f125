/* SPDX-License-Identifier: MIT */
/*
 * The steps that every switch of fibers takes, inlined: keep signal handlers
 * from entering regions, exchange the stack's bounds, and save and restore
 * visits that measure time alone.
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
	/* Meanwhile a reader may have requested a copy. */
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
	/*
	 * Between two fibers the bounds need no change: they are unknown for
	 * both.
	 */
	if (thread->stack_high == fiber->stack_high)
		return;
	thread->stack = fiber->stack;
	thread->stack_low = fiber->stack_low;
	thread->stack_high = fiber->stack_high;
	selfmon_store_once(&thread->open->mark, fiber->stack_high);
}

/* Saves the one cache line that a visit uses if it measures time alone. */
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
