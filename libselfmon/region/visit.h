/* SPDX-License-Identifier: MIT */
/*
 * What the common case of a visit (visit.c) and all others (visit_any.c)
 * share, inlined into both.
 *
 * A signal handler may interrupt at any instruction, use regions itself, and
 * jump out. Hence the order: an entry is taken (top) before it is filled in,
 * so that a handler uses entries above it. The visit goes on while thread->node
 * is its node, from when the entry is filled in until the visit is recorded; a
 * handler leaves thread->node as it found it. What was jumped out of is told by
 * the same: see selfmon_unwind_cut_off().
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

/* visit_user.c: the same where all counters are read in user space. */
void selfmon_enter_user(struct selfmon_site *site, struct selfmon_frame *frame,
			struct selfmon_thread *thread, uint64_t address);
void selfmon_enter_user_span(struct selfmon_site *site,
			     struct selfmon_frame *frame,
			     struct selfmon_thread *thread, uint64_t address);
void selfmon_start_user(struct selfmon_open *open,
			const struct selfmon_counters *head);
void selfmon_leave_user(struct selfmon_frame *frame,
			struct selfmon_thread *thread);

/*
 * visit_rare.c: such a visit's start as any other's; its end once more, by the
 * long way; and with what the registers came to since the start, while the
 * locks had this sum.
 */
void selfmon_start_counts(const struct selfmon_open *open,
			  struct selfmon_snapshot *start);
void selfmon_leave_again(struct selfmon_open *open);
void selfmon_leave_unusual(struct selfmon_open *open, uint64_t ticks,
			   uint32_t locks, const uint64_t *count);

/*
 * In a thread that measures more than time, a frame's entry is noted with one
 * of these bits: the common leave, which compares it with the thread's newest
 * entry, then finds no match, and needs no look at the mode.
 */
#define SELFMON_FRAME_ANY ((uintptr_t)1)
#define SELFMON_FRAME_USER ((uintptr_t)2)

static ALWAYS_INLINE struct selfmon_open *
selfmon_visit_entry(const struct selfmon_frame *frame)
{
	return (struct selfmon_open *)((uintptr_t)frame->open &
				       ~(SELFMON_FRAME_ANY |
					 SELFMON_FRAME_USER));
}

/*
 * Takes the thread's next entry, for a visit of node, a child of parent, which
 * is the thread's node. tag: 0 or SELFMON_FRAME_*.
 */
static ALWAYS_INLINE struct selfmon_open *
selfmon_visit_take(struct selfmon_thread *thread, struct selfmon_node *parent,
		   struct selfmon_node *node, struct selfmon_frame *frame,
		   uint64_t mark, uintptr_t tag)
{
	struct selfmon_open *const open = thread->top + 1;

	selfmon_store_once(&thread->top, open);
	selfmon_compiler_fence();
	selfmon_store_once(&open->frame, frame);
	open->parent = parent;
	selfmon_store_once(&open->node, node);
	/* Whoever sees a mark sees a whole entry. */
	__atomic_store_n(&open->mark, mark, __ATOMIC_RELEASE);
	selfmon_compiler_fence();
	thread->node = node;
	frame->open = (void *)((uintptr_t)open + tag);
	return open;
}

/* Of an entry of the thread's own, whose visit goes on. */
static ALWAYS_INLINE struct selfmon_frame *
selfmon_visit_frame(const struct selfmon_open *open)
{
	return (struct selfmon_frame *)(uintptr_t)open->frame;
}

/* Of a visit that is recorded. */
static ALWAYS_INLINE void selfmon_visit_give_back(struct selfmon_thread *thread,
						  struct selfmon_open *open)
{
	selfmon_compiler_fence();
	thread->node = open->parent;
	selfmon_compiler_fence();
	selfmon_store_once(&thread->top, open - 1);
}

/* A time that is no longer than usual. */
static ALWAYS_INLINE void selfmon_visit_record(struct selfmon_stats *stats,
					       uint64_t ticks)
{
	selfmon_arch_add(&stats->ticks.sum, ticks);
	if (selfmon_unlikely(ticks < stats->ticks.min))
		selfmon_store_once(&stats->ticks.min, ticks);
}

/* Even, as all marks are, and never the same twice. */
static ALWAYS_INLINE uint64_t selfmon_visit_token(struct selfmon_thread *thread)
{
	thread->token += SELFMON_TOKEN_STEP;
	return SELFMON_MARK_SPAN | thread->token;
}

/* The child of this node that enter remembers for the region. */
static ALWAYS_INLINE struct selfmon_node *
selfmon_visit_child(const struct selfmon_node *parent, uint32_t region)
{
	return parent->child[region % SELFMON_CHILDREN];
}

/*
 * Does this visit's code stand above an address, on the same stack? A span says
 * nothing of where it stands: no, then. Nor does one that another thread is
 * leaving.
 */
static ALWAYS_INLINE bool
selfmon_visit_is_above(const struct selfmon_open *open, uint64_t address)
{
	return selfmon_arch_is_above(&open->mark, address);
}

/*
 * How many of the newest entries are of the same function as this one; -1 if
 * one of these, or what lies below them, may be dead. They are alive unless
 * this very frame's bytes are one of theirs. A span below them is taken for
 * alive, if this is the thread's own stack as far as is known: elsewhere it is
 * not the common case.
 */
static ALWAYS_INLINE int
selfmon_visit_same(const struct selfmon_thread *thread,
		   const struct selfmon_frame *frame, uint64_t address)
{
	const struct selfmon_open *open = thread->top;
	int same = 0;

	if (address < thread->stack_low)
		return -1;
	while (selfmon_load_once(&open->mark) == address) {
		const uintptr_t apart = (uintptr_t)open->frame -
					(uintptr_t)frame + (sizeof(*frame) - 1);

		if (apart < 2 * sizeof(*frame) - 1)
			return -1;
		open--;
		same++;
	}
	if (selfmon_unlikely(!selfmon_visit_is_above(open, address)) &&
	    (!(selfmon_load_once(&open->mark) & SELFMON_MARK_SPAN) ||
	     address >= thread->stack_high))
		return -1;
	return same;
}

/* A visit begins while its function has so many open: its parent pays. */
static ALWAYS_INLINE void selfmon_visit_count_same(struct selfmon_stats *stats,
						   int same)
{
	if (same == 0)
		return;
	selfmon_kind_add(stats, SELFMON_KIND_SAME, 1);
	if (selfmon_unlikely(same > 1))
		selfmon_kind_add(stats, SELFMON_KIND_STEP, (uint64_t)same - 1);
}

/* Can the thread take another entry, in this mode? */
static ALWAYS_INLINE bool
selfmon_visit_is_ready(const struct selfmon_thread *thread, uint32_t mode)
{
	return selfmon_arch_is(&thread->mode, mode) &&
	       thread->top != thread->last;
}

/* Takes the entry of a visit that is about to begin, in a thread that is ready. */
static ALWAYS_INLINE struct selfmon_open *
selfmon_visit_begin(struct selfmon_thread *thread, struct selfmon_node *node,
		    struct selfmon_frame *frame, bool span, uint64_t address,
		    uintptr_t tag)
{
	uint64_t mark = address;

	if (span) {
		mark = frame->token = selfmon_visit_token(thread);
		selfmon_kind_add(node->stats, SELFMON_KIND_SPAN, 1);
	}
	return selfmon_visit_take(thread, thread->node, node, frame, mark, tag);
}

/* The same; NULL where the node's parent does not remember the child. */
static ALWAYS_INLINE struct selfmon_open *
selfmon_visit_open(struct selfmon_thread *thread,
		   const struct selfmon_site *site, struct selfmon_frame *frame,
		   bool span, uint64_t address, uintptr_t tag, int same)
{
	const uint32_t id = selfmon_load_once(&site->id);
	struct selfmon_node *const node =
		selfmon_visit_child(thread->node, id);

	if (selfmon_unlikely(node->region != id))
		return NULL;
	selfmon_visit_count_same(node->stats, same);
	return selfmon_visit_begin(thread, node, frame, span, address, tag);
}

/* The child that another one took the slot of; NULL: the first visit. */
static inline struct selfmon_node *
selfmon_visit_find(struct selfmon_thread *thread,
		   const struct selfmon_site *site)
{
	const uint32_t id = selfmon_load_once(&site->id);
	struct selfmon_node *const node =
		id ? selfmon_tree_find(thread, thread->node, id) : NULL;

	if (node)
		selfmon_kind_add(node->stats, SELFMON_KIND_FOUND, 1);
	return node;
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
