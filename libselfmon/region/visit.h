/* SPDX-License-Identifier: MIT */
/*
 * What the common case of a visit (visit.c) and all others (visit_any.c)
 * share, inlined into both.
 *
 * A signal handler may interrupt at any instruction and use regions itself.
 * Hence the order: an entry is taken (top) before it is filled in and emptied
 * (mark) before it is given back, so that a handler uses entries above it; a
 * handler leaves thread->node as it found it.
 */
#ifndef SELFMON_REGION_VISIT_H
#define SELFMON_REGION_VISIT_H

#include "region/process.h"
#include "region/thread.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))

/* visit_any.c: a visit's two ends in any mode; address as in visit.c. */
void selfmon_enter_any(struct selfmon_site *site, struct selfmon_frame *frame,
		       bool span, uint64_t address);
void selfmon_leave_any(struct selfmon_frame *frame);

/*
 * In a thread that measures more than time, a frame's entry is noted with this
 * bit: the common leave, which compares it with the thread's newest entry,
 * then finds no match, and needs no look at the mode.
 */
#define SELFMON_FRAME_ANY ((uintptr_t)1)

static ALWAYS_INLINE struct selfmon_open *
selfmon_visit_entry(const struct selfmon_frame *frame)
{
	return (struct selfmon_open *)((uintptr_t)frame->open &
				       ~SELFMON_FRAME_ANY);
}

/* parent is the thread's node, which the caller has at hand. */
static ALWAYS_INLINE struct selfmon_open *
selfmon_visit_take(struct selfmon_thread *thread, struct selfmon_node *parent,
		   struct selfmon_node *node, struct selfmon_frame *frame,
		   uint64_t mark)
{
	struct selfmon_open *const open = thread->top + 1;

	selfmon_store_once(&thread->top, open);
	selfmon_compiler_fence();
	selfmon_store_once(&open->mark, mark);
	selfmon_store_once(&open->frame, frame);
	open->parent = parent;
	selfmon_store_once(&open->node, node);
	thread->node = node;
	frame->open = open;
	return open;
}

static ALWAYS_INLINE void selfmon_visit_give_back(struct selfmon_thread *thread,
						  struct selfmon_open *open)
{
	thread->node = open->parent;
	selfmon_store_once(&open->mark, SELFMON_MARK_NONE);
	selfmon_compiler_fence();
	selfmon_store_once(&thread->top, open - 1);
}

/* The child of this node that enter remembers for the region. */
static ALWAYS_INLINE struct selfmon_node *
selfmon_visit_child(const struct selfmon_node *parent, uint32_t region)
{
	return parent->child[region % SELFMON_CHILDREN];
}

/* Is this entry, noted in this frame, the newest, as it mostly is? */
static ALWAYS_INLINE bool
selfmon_visit_is_newest(const struct selfmon_thread *thread,
			const struct selfmon_open *open,
			const struct selfmon_frame *frame)
{
	return thread->top == open && open->frame == frame;
}

#endif
