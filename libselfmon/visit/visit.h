/* SPDX-License-Identifier: MIT */
/*
 * Code that the fast path (visit.c) and the other paths of a visit share. It is
 * inlined into all of them.
 *
 * A signal handler may interrupt at any instruction, use regions itself, and
 * jump out. This determines the order of steps. Enter increments `top` before
 * it fills in the entry, so a handler uses the entries above it. The visit is
 * open while the entry has a mark: enter sets the mark when the entry is
 * complete except for the start, and leave clears it when the visit is
 * recorded. A handler that finds no mark in the newest entry takes the slow
 * path, which looks for an open visit below it. If a jump abandons an entry,
 * the entry keeps its mark exactly if its visit was open at the jump: see
 * selfmon_unwind_cut_off().
 */
#ifndef SELFMON_VISIT_VISIT_H
#define SELFMON_VISIT_VISIT_H

#include <selfmon/inline.h>

#include "open/entry.h"
#include "store/self.h"
#include "store/state.h"
#include "store/tree.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))

/*
 * Tags in frame->open, the pointer to the entry, in threads whose mode lacks
 * SELFMON_MODE_TIME. The fast leave compares the pointer with the address of
 * the thread's newest entry. A pointer with a tag never equals this address, so
 * the fast leave does not have to check the mode.
 */
#define SELFMON_FRAME_ANY ((uintptr_t)1)
#define SELFMON_FRAME_USER ((uintptr_t)2)
/*
 * Both bits mark a coroutine's frame: it has a detached span instead of an
 * entry.
 */
#define SELFMON_FRAME_COROUTINE ((uintptr_t)3)

static ALWAYS_INLINE struct selfmon_impl_thread *selfmon_thread_hot_part(void)
{
	return (struct selfmon_impl_thread *)(void *)selfmon_thread_self();
}

static ALWAYS_INLINE struct selfmon_visit *
selfmon_visit_entry(const struct selfmon_frame *frame)
{
	return (struct selfmon_visit *)((uintptr_t)frame->open &
					~(SELFMON_FRAME_ANY |
					  SELFMON_FRAME_USER));
}

/*
 * Takes the thread's next entry for a visit of `node`. tag is 0 or
 * SELFMON_FRAME_*. With SELFMON_FRAME_USER, neither the CPU nor the ring's head
 * is stored: such visits do not need the CPU number, and their thread has no
 * ring.
 */
static ALWAYS_INLINE struct selfmon_visit *
selfmon_visit_take(struct selfmon_thread *thread, struct selfmon_node *node,
		   struct selfmon_frame *frame, uint64_t mark, uintptr_t tag)
{
	struct selfmon_visit *const open = thread->top + 1;

	selfmon_store_once(&thread->top, open);
	selfmon_compiler_fence();
	selfmon_store_once(&open->frame, frame);
	selfmon_store_once(&open->node, node);
	if (tag != SELFMON_FRAME_USER)
		selfmon_store_once(&open->cpu, selfmon_load_once(thread->cpu));
	/*
	 * Release: a reader that loads the mark sees the entry, except for the
	 * start, which the caller sets.
	 */
	__atomic_store_n(&open->mark, mark, __ATOMIC_RELEASE);
	selfmon_compiler_fence();
	frame->open = (void *)((uintptr_t)open + tag);
	return open;
}

/*
 * Returns the frame of an entry of the calling thread. Its visit must be open.
 */
static ALWAYS_INLINE struct selfmon_frame *
selfmon_visit_frame(const struct selfmon_visit *open)
{
	return (struct selfmon_frame *)(uintptr_t)open->frame;
}

/* Frees the entry of a recorded visit. */
static ALWAYS_INLINE void selfmon_visit_give_back(struct selfmon_thread *thread,
						  struct selfmon_visit *open)
{
	selfmon_compiler_fence();
	selfmon_store_once(&thread->top, open - 1);
}

/* Adds a time below stats->unusual, which cannot be a new maximum. */
static ALWAYS_INLINE void selfmon_visit_record(struct selfmon_stats *stats,
					       uint64_t ticks)
{
	selfmon_arch_add(&stats->ticks.sum, ticks);
	if (selfmon_unlikely(ticks < stats->ticks.min))
		selfmon_store_once(&stats->ticks.min, ticks);
}

/*
 * Returns the child in the region's slot. The child may have another region.
 */
static ALWAYS_INLINE struct selfmon_node *
selfmon_visit_child(const struct selfmon_node *parent, uint32_t region)
{
	return parent->child[region % SELFMON_CHILDREN];
}

/*
 * Returns the slot for a site's nodes. Call only after the site has got a
 * region.
 */
static ALWAYS_INLINE struct selfmon_node **
selfmon_visit_slot(struct selfmon_node *parent, const struct selfmon_site *site)
{
	return (struct selfmon_node **)(void *)((char *)parent->child +
						selfmon_load_once(&site->slot));
}

static ALWAYS_INLINE struct selfmon_node *
selfmon_visit_child_of(struct selfmon_node *parent,
		       const struct selfmon_site *site)
{
	return *selfmon_visit_slot(parent, site);
}

/*
 * Returns true if this visit's stack address is above an address. Returns false
 * for a span, whose stack address is unknown.
 */
static ALWAYS_INLINE bool
selfmon_visit_is_above(const struct selfmon_visit *open, uint64_t address)
{
	return selfmon_arch_is_above(&open->mark, address);
}

/*
 * Returns how many of the newest entries belong to the function that enters.
 * Returns -1 if one of them, or the entry below them, may be abandoned. Entries
 * of this function count as alive unless their frames overlap the new frame.
 *
 * A span below them counts as alive if the code is known to run on the thread's
 * own stack. Threads with other stacks do not take the fast path.
 */
static ALWAYS_INLINE int
selfmon_visit_same(const struct selfmon_thread *thread,
		   const struct selfmon_frame *frame, uint64_t address)
{
	const struct selfmon_visit *open = thread->top;
	int same = 0;

	while (selfmon_load_once(&open->mark) == address) {
		const uintptr_t apart = (uintptr_t)open->frame -
					(uintptr_t)frame + (sizeof(*frame) - 1);

		if (apart < 2 * sizeof(*frame) - 1)
			return -1;
		open--;
		same++;
	}
	if (selfmon_unlikely(!selfmon_visit_is_above(open, address)) &&
	    (selfmon_load_once(&open->mark) != SELFMON_MARK_SPAN ||
	     address >= thread->stack_high))
		return -1;
	return same;
}

/*
 * Counts a visit that begins while its function has `same` other visits open,
 * because such a visit costs its parent more than others.
 */
static ALWAYS_INLINE void selfmon_visit_count_same(struct selfmon_stats *stats,
						   int same)
{
	if (same == 0)
		return;
	selfmon_kind_add(stats, SELFMON_KIND_SAME, 1);
	if (selfmon_unlikely(same > 1))
		selfmon_kind_add(stats, SELFMON_KIND_STEP, (uint64_t)same - 1);
}

/*
 * Returns true if the thread has a free entry that is initialised
 * (selfmon_thread_deepen() initialises more). Returns false for a thread
 * without a state, and for a state that fork() has wiped. After this check a
 * handler may take the last entry and leave its visit open. The caller then
 * takes a spare entry, see SELFMON_DEPTH_SLACK.
 */
static ALWAYS_INLINE bool
selfmon_visit_has_room(const struct selfmon_thread *thread)
{
	return thread->top < thread->last;
}

/*
 * Like selfmon_visit_take(), with the mark of a region or a span. Counts a
 * span.
 */
static ALWAYS_INLINE struct selfmon_visit *
selfmon_visit_begin(struct selfmon_thread *thread, struct selfmon_node *node,
		    struct selfmon_frame *frame, bool span, uint64_t address,
		    uintptr_t tag)
{
	uint64_t mark = address;

	if (span) {
		mark = SELFMON_MARK_SPAN;
		selfmon_kind_add(node->stats, SELFMON_KIND_SPAN, 1);
	}
	return selfmon_visit_take(thread, node, frame, mark, tag);
}

/*
 * Like selfmon_visit_take(), for a site. Returns NULL if its node is not in the
 * parent's slot.
 */
static ALWAYS_INLINE struct selfmon_visit *
selfmon_visit_open(struct selfmon_thread *thread,
		   const struct selfmon_site *site, struct selfmon_frame *frame,
		   bool span, uint64_t address, uintptr_t tag, int same)
{
	const uint32_t id = selfmon_load_once(&site->id);
	struct selfmon_node *const node =
		selfmon_visit_child_of(thread->top->node, site);

	if (selfmon_unlikely(node->region != id))
		return NULL;
	selfmon_visit_count_same(node->stats, same);
	return selfmon_visit_begin(thread, node, frame, span, address, tag);
}

/*
 * Looks up the site's node when the parent's slot for the site holds another
 * child. Returns NULL if the site has no node here yet.
 */
static inline struct selfmon_node *
selfmon_visit_find(struct selfmon_thread *thread,
		   const struct selfmon_site *site)
{
	const uint32_t id = selfmon_load_once(&site->id);
	struct selfmon_node *const node =
		id ? selfmon_tree_find(thread, selfmon_entry_place(thread), id)
		   : NULL;

	if (node)
		selfmon_kind_add(node->stats, SELFMON_KIND_FOUND, 1);
	return node;
}

/*
 * Returns true if the entry to which this frame points is the newest one, which
 * is the usual case.
 */
static ALWAYS_INLINE bool
selfmon_visit_is_newest(const struct selfmon_thread *thread,
			const struct selfmon_visit *open,
			const struct selfmon_frame *frame)
{
	return thread->top == open && open->frame == frame;
}

bool selfmon_visits_are_inlined(void);

#endif
