/* SPDX-License-Identifier: MIT */
/*
 * Uses the mark of an open visit, which is the stack address of the code that
 * entered: finds out on which stack the visit is, and whether it is abandoned.
 */
#ifndef SELFMON_OPEN_ABANDONED_H
#define SELFMON_OPEN_ABANDONED_H

#include "open/entry.h"

/*
 * Returns true if a stack address, such as the mark of a lexical visit, is
 * within the bounds of the thread's own stack. If the bounds are not exact, the
 * address may still belong to another stack.
 */
static inline bool selfmon_on_own_stack(const struct selfmon_thread *thread,
					uint64_t address)
{
	return address >= thread->stack_low && address < thread->stack_high;
}

/*
 * Returns true if the visit is not on the thread's own stack but on another
 * one, such as a coroutine's.
 */
static inline bool
selfmon_entry_on_other_stack(const struct selfmon_thread *thread,
			     const struct selfmon_visit *open)
{
	const uint64_t mark = selfmon_entry_mark(open);

	return selfmon_mark_is_lexical(mark) &&
	       !selfmon_on_own_stack(thread, mark);
}

/*
 * Returns the lowest of the abandoned entries at the top, or NULL. frame and
 * address belong to the function that enters now. *under receives an abandoned
 * entry further down that has living entries above it, or NULL.
 */
struct selfmon_visit *
selfmon_abandoned_on_top(const struct selfmon_thread *thread,
			 const struct selfmon_frame *frame, uint64_t address,
			 struct selfmon_visit **under);

/*
 * Called when the visit of `open`, an entry below the top, is left. Returns
 * true if this proves that the top entry is abandoned.
 */
bool selfmon_abandoned_above(const struct selfmon_thread *thread,
			     const struct selfmon_visit *open,
			     const struct selfmon_visit *top);

/*
 * Returns true if the entry is certainly abandoned, even if entries above it
 * are alive. address is the stack address of the code that enters now.
 */
bool selfmon_abandoned_for_certain(const struct selfmon_thread *thread,
				   const struct selfmon_visit *open,
				   uint64_t address);

/*
 * For bounds that are not exact. Returns true if this lexical entry has a lower
 * stack address than the code that enters now: a jump abandoned the entry, or
 * its coroutine was suspended.
 */
bool selfmon_abandoned_or_switched(const struct selfmon_thread *thread,
				   const struct selfmon_visit *open,
				   uint64_t address);

#endif
