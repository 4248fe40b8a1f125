/* SPDX-License-Identifier: MIT */
/*
 * Removes an entry that is not the newest. The entries above it move down by
 * one. The visit directly above it becomes a child of the removed visit's
 * parent. The nesting of all other visits is unchanged.
 *
 * The time of a moved visit is then partly below its old parent and partly
 * below its new parent. So the self time of both parents is unknown.
 */
#include "open/take_out.h"

#include "open/abandoned.h"
#include "open/entry.h"
#include "store/memory.h"
#include "store/ring_state.h"
#include "store/state.h"
#include "store/stats.h"
#include "store/tree.h"
#include "store/work.h"

#define WORDS (sizeof(struct selfmon_visit) / sizeof(uint64_t))
#define WORDS_TIME (SELFMON_LINE / sizeof(uint64_t))

/*
 * Copies word by word, since a report may read either entry at the same time.
 * If all visits measure time alone, and each visit is measured, they use only
 * the first cache line.
 */
static void copy_entry(const struct selfmon_thread *thread,
		       struct selfmon_visit *to,
		       const struct selfmon_visit *from)
{
	typedef uint64_t word __attribute__((may_alias));
	const bool more = thread->set || thread->random;
	const word *const source = (const word *)from;
	word *const target = (word *)to;
	size_t i;

	for (i = 0; i < (more ? WORDS : WORDS_TIME); i++)
		selfmon_store_once(&target[i], selfmon_load_once(&source[i]));
}

/*
 * Sets the mark last (release), so that a reader that sees the mark sees the
 * whole entry. Until then the entry has no mark.
 */
static void put_entry(const struct selfmon_thread *thread,
		      struct selfmon_visit *to, struct selfmon_visit *whole)
{
	const uint64_t mark = whole->mark;

	whole->mark = SELFMON_MARK_NONE;
	selfmon_store_once(&to->mark, SELFMON_MARK_NONE);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	copy_entry(thread, to, whole);
	__atomic_store_n(&to->mark, mark, __ATOMIC_RELEASE);
}

/* What the ring knows of a visit moves with the visit's entry. */
static struct selfmon_ring_visit
ring_visit_of(const struct selfmon_thread *thread,
	      const struct selfmon_visit *open)
{
	return thread->ring ? thread->ring->visit[open - thread->open]
			    : (struct selfmon_ring_visit){ .began = 0 };
}

static void put_ring_visit(struct selfmon_thread *thread,
			   const struct selfmon_visit *open,
			   struct selfmon_ring_visit visit)
{
	if (thread->ring)
		thread->ring->visit[open - thread->open] = visit;
}

/*
 * While entries are moved, from the lowest to the newest: the old and the new
 * parent of the visit that is moved next.
 */
struct chain {
	struct selfmon_node *before, *parent;
};

/*
 * Moves an open visit from its node to the node of the same region below
 * chain->parent.
 */
static void hang_below(struct selfmon_thread *thread, const struct chain *chain,
		       struct selfmon_visit *open)
{
	struct selfmon_node *const was = open->node;
	struct selfmon_node *node;

	if (was->parent == chain->parent)
		return;
	node = selfmon_tree_child(thread, chain->parent, was->region);
	if (!node) { /* full tree or out of memory: keep the node */
		if (was->parent == chain->before)
			selfmon_tree_displaced(thread, chain->before);
		return;
	}
	selfmon_work_move(thread, was, node);
	open->node = node;
	selfmon_rare_add(was->stats, SELFMON_RARE_OVERLAPPED, 1);
	selfmon_rare_add(node->stats, SELFMON_RARE_OVERLAPPED, 1);
}

static void move_down(struct selfmon_thread *thread, struct chain *chain,
		      struct selfmon_visit *from, struct selfmon_visit *to)
{
	struct selfmon_visit moved;

	copy_entry(thread, &moved, from);
	/* An entry without a visit has no children. */
	if (selfmon_entry_is_open(&moved)) {
		struct selfmon_node *const was = moved.node;

		hang_below(thread, chain, &moved);
		chain->before = was;
		chain->parent = moved.node;
		if (selfmon_entry_on_other_stack(thread, &moved))
			selfmon_rare_add(moved.node->stats, SELFMON_RARE_STACK,
					 1);
	}
	put_entry(thread, to, &moved);
	put_ring_visit(thread, to, ring_visit_of(thread, from));
	selfmon_store_once(&from->mark, SELFMON_MARK_NONE);
}

void selfmon_take_out(struct selfmon_thread *thread, struct selfmon_visit *open)
{
	struct selfmon_node *const parent = selfmon_entry_parent(thread, open);
	const struct selfmon_ring_visit visit = ring_visit_of(thread, open);
	struct chain chain = { parent, parent };
	struct selfmon_visit gone;

	copy_entry(thread, &gone, open);
	if (selfmon_entry_is_open(&gone)) {
		chain.before = gone.node;
		selfmon_rare_add(gone.node->stats, SELFMON_RARE_OVERLAPPED, 1);
	}
	for (; open < thread->top; open++)
		move_down(thread, &chain, open + 1, open);
	put_entry(thread, open, &gone);
	put_ring_visit(thread, open, visit);
}

void selfmon_take_out_ended(struct selfmon_thread *thread,
			    struct selfmon_visit *lowest)
{
	struct selfmon_node *const parent =
		selfmon_entry_parent(thread, lowest);
	struct chain chain = { parent, parent };
	struct selfmon_visit *from, *to = lowest;

	for (from = lowest; from <= thread->top; from++) {
		if (selfmon_entry_is_open(from))
			move_down(thread, &chain, from, to++);
		else
			chain.before = from->node;
	}
	selfmon_store_once(&thread->top, to - 1);
}
