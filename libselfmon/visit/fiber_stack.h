/* SPDX-License-Identifier: MIT */
/*
 * The steps of every switch of fibers, inlined: prevent signal handlers from
 * entering regions, exchange the stack's bounds, and save and restore visits
 * that measure time alone.
 */
#ifndef SELFMON_VISIT_FIBER_STACK_H
#define SELFMON_VISIT_FIBER_STACK_H

#include <string.h>

#include "open/entry.h"
#include "store/fiber.h"
#include "store/memory.h"
#include "store/self.h"
#include "visit/visit.h"

/* From now on no visit can begin, until selfmon_fiber_gate_open(). */
static ALWAYS_INLINE void
selfmon_fiber_gate_close(struct selfmon_thread *thread)
{
	selfmon_store_once(&thread->switching, 1);
	selfmon_compiler_fence();
	selfmon_store_once(&thread->low, SELFMON_LOW_NONE);
	selfmon_compiler_fence();
}

/*
 * mode is the thread's mode at the beginning of the switch, and shift is the
 * difference between low and stack_low in this mode.
 */
static ALWAYS_INLINE void selfmon_fiber_gate_open(struct selfmon_thread *thread,
						  uint32_t mode, uint64_t shift)
{
	selfmon_compiler_fence();
	selfmon_store_once(&thread->switching, 0);
	selfmon_compiler_fence();
	if (mode != SELFMON_MODE_ANY)
		selfmon_store_once(&thread->low, thread->stack_low + shift);
	selfmon_compiler_fence();
	/*
	 * A reader may have requested a copy of the statistics during the
	 * switch.
	 */
	if (selfmon_unlikely(selfmon_load_once(&thread->mode) != mode))
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
}

static ALWAYS_INLINE void
selfmon_fiber_enter_stack(struct selfmon_thread *thread,
			  struct selfmon_fiber *fiber)
{
	fiber->running = thread;
	selfmon_store_once(&thread->fiber, fiber);
	/*
	 * All created fibers have the same bounds, 0 to SELFMON_LOW_NONE. So a
	 * switch between two of them changes no bounds.
	 */
	if (thread->stack_high == fiber->stack_high)
		return;
	thread->stack = fiber->stack;
	thread->stack_low = fiber->stack_low;
	thread->stack_high = fiber->stack_high;
	selfmon_store_once(&thread->open->mark, fiber->stack_high);
}

/* Size of the mark and the frame's address, which one instruction copies. */
#define SELFMON_FIBER_PAIR (2 * sizeof(uint64_t))
_Static_assert(offsetof(struct selfmon_visit, mark) == 0 &&
		       offsetof(struct selfmon_visit, frame) == 8 &&
		       offsetof(struct selfmon_suspended, mark) == 0 &&
		       offsetof(struct selfmon_suspended, frame) == 8,
	       "a pair of both");

/*
 * Saves the part of an entry that a visit uses if it measures time alone. If
 * `timed` is true, also saves the CPU; a visit with counters has the CPU in its
 * snapshot.
 */
static ALWAYS_INLINE void
selfmon_fiber_keep_line(const struct selfmon_visit *open,
			struct selfmon_node *node,
			struct selfmon_suspended *kept, const bool timed)
{
	memcpy(kept, open, SELFMON_FIBER_PAIR);
	kept->node = node;
	if (timed)
		kept->cpu = open->cpu;
	kept->start.ticks = open->start.ticks;
	/* Keeps the compiler from splitting the memcpy() above. */
	selfmon_compiler_fence();
	kept->frame =
		(const void *)((uintptr_t)kept->frame | SELFMON_ENTRY_RESUMED);
	selfmon_rare_add(node->stats, SELFMON_RARE_SUSPENDED, 1);
}

#define SELFMON_FIBER_ENTRIES(n) ((n) * sizeof(struct selfmon_visit))

/* Returns the size of the entries in use, in bytes. */
static ALWAYS_INLINE size_t
selfmon_fiber_used(const struct selfmon_thread *thread)
{
	return (size_t)((char *)thread->top - (char *)thread->open);
}

/*
 * Loads the nodes of n entries. Returns false if an entry is not open or its
 * node counts units: the general path is then needed.
 */
static ALWAYS_INLINE bool
selfmon_fiber_may_keep(const struct selfmon_visit *open,
		       struct selfmon_node **node, const unsigned int n)
{
	uint64_t marks = 0;
	uintptr_t work = 0;
	unsigned int i;

#pragma GCC unroll 3
	for (i = 0; i < n; i++)
		marks |= open[i].mark;
	if (selfmon_unlikely(!selfmon_marks_are_open(marks)))
		return false;
#pragma GCC unroll 3
	for (i = 0; i < n; i++) {
		node[i] = open[i].node;
		work |= (uintptr_t)node[i]->stats->work;
	}
	return !work;
}

/*
 * Clears the marks of the old fiber's entries that the new fiber does not use.
 */
static ALWAYS_INLINE void selfmon_fiber_take_off(struct selfmon_visit *open,
						 size_t used,
						 const unsigned int n)
{
	struct selfmon_visit *top;

	if (selfmon_likely(used <= SELFMON_FIBER_ENTRIES(n)))
		return;
	top = (struct selfmon_visit *)(void *)((char *)(open - 1) + used);
	for (; top >= open + n; top--)
		selfmon_store_once(&top->mark, SELFMON_MARK_NONE);
}

/*
 * Restores n visits, except for the counts at their starts. The restored visits
 * replace the old fiber's visits, whose entries take `used` bytes. before is
 * the time at which the old fiber was suspended.
 */
static ALWAYS_INLINE void
selfmon_fiber_put_on(struct selfmon_thread *thread, struct selfmon_fiber *fiber,
		     size_t used, uint64_t before, const unsigned int n,
		     const bool timed)
{
	struct selfmon_visit *const open = thread->open + 1;
	const uint64_t since = before - fiber->since;
	unsigned int i;

	selfmon_fiber_take_off(open, used, n);
#pragma GCC unroll 3
	for (i = 0; i < n; i++) {
		const struct selfmon_suspended *const kept = &fiber->visit[i];
		struct selfmon_node *const node = kept->node;

		memcpy(open + i, kept, SELFMON_FIBER_PAIR);
		open[i].node = node;
		if (timed)
			open[i].cpu = kept->cpu;
		selfmon_rare_add(node->stats, SELFMON_RARE_RESUMED, 1);
		selfmon_rare_add(node->stats, SELFMON_RARE_SUSPENDED_TICKS,
				 since);
	}
	selfmon_compiler_fence();
	selfmon_store_once(&thread->top, open - 1 + n);
}

#endif
