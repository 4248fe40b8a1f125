/* SPDX-License-Identifier: MIT */
/*
 * Conclusions from an open visit's mark, the stack address of the code that
 * entered: the stack that the visit is on, and whether the visit can be alive.
 */
#ifndef SELFMON_OPEN_ABANDONED_H
#define SELFMON_OPEN_ABANDONED_H

#include "open/entry.h"

/*
 * Returns true if a stack address, such as the mark of a lexical visit, is
 * inside of the bounds of the thread's stack. If the bounds are inexact, the
 * address may still be on another stack.
 */
static inline bool selfmon_on_own_stack(const struct selfmon_thread *thread,
					uint64_t address)
{
	return address >= thread->stack_low && address < thread->stack_high;
}

/*
 * Returns true for a visit on another stack than its thread's: a coroutine's.
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
 * Returns the lowest of the abandoned entries on top of the chain, or NULL.
 * frame and address: of the function that enters now. *under: receives an
 * abandoned entry further down that has living entries above it, or NULL.
 */
struct selfmon_visit *
selfmon_abandoned_on_top(const struct selfmon_thread *thread,
			 const struct selfmon_frame *frame, uint64_t address,
			 struct selfmon_visit **under);

/*
 * Returns true if the top entry is abandoned because `open`, below it, is left.
 */
bool selfmon_abandoned_above(const struct selfmon_thread *thread,
			     const struct selfmon_visit *open,
			     const struct selfmon_visit *top);

/* Returns true if the entry is abandoned, whatever lies above it. */
bool selfmon_abandoned_for_certain(const struct selfmon_thread *thread,
				   const struct selfmon_visit *open,
				   uint64_t address);

/*
 * For inexact bounds. Returns true if this lexical entry has a lower stack
 * address than the given one: a jump abandoned the entry, or its coroutine was
 * switched away.
 */
bool selfmon_abandoned_or_switched(const struct selfmon_thread *thread,
				   const struct selfmon_visit *open,
				   uint64_t address);

#endif
