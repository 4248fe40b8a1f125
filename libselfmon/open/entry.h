/* SPDX-License-Identifier: MIT */
/* Interprets an entry: its mark, its frame, and its parent. */
#ifndef SELFMON_OPEN_ENTRY_H
#define SELFMON_OPEN_ENTRY_H

#include "store/state.h"

/*
 * Acquire: after this load, the contents of the entry with this mark are
 * visible.
 */
static inline uint64_t selfmon_entry_mark(const struct selfmon_visit *open)
{
	return __atomic_load_n(&open->mark, __ATOMIC_ACQUIRE);
}

static inline bool selfmon_entry_is_span(const struct selfmon_visit *open)
{
	return selfmon_entry_mark(open) == SELFMON_MARK_SPAN;
}

/* Returns true if the visit is open: it has begun and is not recorded yet. */
static inline bool selfmon_entry_is_open(const struct selfmon_visit *open)
{
	return selfmon_entry_mark(open) != SELFMON_MARK_NONE;
}

/*
 * Returns true if several entries are all open. marks is the bitwise OR of
 * their marks. Only SELFMON_MARK_NONE, which is not an open visit, is odd.
 */
static inline bool selfmon_marks_are_open(uint64_t marks)
{
	return !(marks & 1);
}
_Static_assert(SELFMON_MARK_NONE & 1 && !(SELFMON_MARK_SPAN & 1),
	       "none is the only odd mark");

/*
 * Returns true if the mark is a stack address or SELFMON_MARK_FIBER: neither a
 * span nor an entry without a visit has such a mark.
 */
static inline bool selfmon_mark_is_lexical(uint64_t mark)
{
	return mark != SELFMON_MARK_SPAN && mark != SELFMON_MARK_NONE;
}

/*
 * This bit of the frame address is set after the visit was suspended and
 * resumed (visit/fiber_switch.c). With the bit, the address does not match on
 * the fast paths of leave, so the slow path ends the visit. The bit also shows
 * that the start of the visit has complete counts instead of raw registers.
 */
#define SELFMON_ENTRY_RESUMED ((uintptr_t)1)

static inline bool selfmon_entry_is_resumed(const struct selfmon_visit *open)
{
	return (uintptr_t)open->frame & SELFMON_ENTRY_RESUMED;
}

static inline const struct selfmon_frame *
selfmon_entry_frame(const struct selfmon_visit *open)
{
	return (const struct selfmon_frame *)((uintptr_t)open->frame &
					      ~SELFMON_ENTRY_RESUMED);
}

static inline bool selfmon_entry_is_of(const struct selfmon_visit *open,
				       const struct selfmon_frame *frame)
{
	return selfmon_entry_is_open(open) && selfmon_entry_frame(open) == frame;
}

/*
 * Returns the node of the newest open visit below an entry, or the root if
 * there is none. Skips entries without a visit, whose enter or leave was
 * interrupted.
 */
static inline struct selfmon_node *
selfmon_entry_parent(const struct selfmon_thread *thread,
		     const struct selfmon_visit *open)
{
	do
		open--;
	while (open > thread->open && !selfmon_entry_is_open(open));
	return open->node;
}

/* Returns the node that is the parent of the thread's next visit. */
static inline struct selfmon_node *
selfmon_entry_place(const struct selfmon_thread *thread)
{
	return selfmon_entry_parent(thread, thread->top + 1);
}

#endif
