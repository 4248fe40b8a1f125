/* SPDX-License-Identifier: MIT */
/*
 * Visits that come to no end of their own: a longjmp runs no leave. They are
 * cut off; and what lives above one that ends out of order goes on without it.
 *
 * Entries are the library's own memory and frames are never followed, so
 * that nothing here can touch a stack that is gone.
 */
#include "platform/cancel.h"
#include "platform/kernel.h"
#include "region/bounds.h"
#include "region/dead.h"
#include "region/entry.h"
#include "region/visit.h"

/* Ends a visit, unless it has ended: another thread may be leaving it now. */
static bool claim_end(struct selfmon_open *open)
{
	uint64_t mark = selfmon_entry_mark(open);

	return selfmon_mark_goes_on(mark) &&
	       __atomic_compare_exchange_n(&open->mark, &mark, mark - 1, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/*
 * A visit was jumped out of: cut off, or in the middle of being recorded. What
 * jumps out of this very function finds that it is done with.
 */
static void end_visit(struct selfmon_open *open)
{
	struct selfmon_stats *const stats = open->node->stats;
	const bool updating = stats->sequence & 1;
	bool ended;

	if (updating && selfmon_mark_goes_on(selfmon_entry_mark(open)))
		selfmon_stats_mend(stats);
	selfmon_compiler_fence();
	ended = claim_end(open);
	selfmon_compiler_fence();
	selfmon_stats_drop_units(stats);
	selfmon_compiler_fence();
	if (updating)
		selfmon_stats_end(stats);
	else if (ended)
		selfmon_rare_add(stats, SELFMON_RARE_CUT_OFF, 1);
}

/*
 * Drops the top entry. Where thread->node is not its node, its visit had not
 * begun yet or was over, and there is nothing to be said of it.
 */
void selfmon_unwind_cut_off(struct selfmon_thread *thread)
{
	struct selfmon_open *const top = thread->top;

	if (thread->node == top->node) {
		end_visit(top);
		thread->node = top->parent;
	}
	selfmon_store_once(&top->mark, SELFMON_MARK_NONE);
	selfmon_compiler_fence();
	selfmon_store_once(&thread->top, top - 1);
}

/*
 * Does code at this address, and not a handler's on a stack for signals, say
 * that bounds are out of date or a guess was wrong? In a thread that is known
 * to have other stacks it says nothing. To enter above the newest visit is a
 * jump or a switch: only exact bounds decide which.
 */
static bool contradicts_bounds(const struct selfmon_thread *thread,
			       uint64_t address)
{
	if (selfmon_on_own_stack(thread, address))
		return thread->stack == SELFMON_STACK_GUESSED &&
		       selfmon_entry_mark(thread->top) < address;
	return !(selfmon_load_once(&thread->mode) & SELFMON_MODE_STACKS) &&
	       !selfmon_kernel_on_signal_stack();
}

/* Another stack, with no open entry of it below: a handler's is none. */
static bool is_switched(struct selfmon_thread *thread, uint64_t address)
{
	const struct selfmon_open *const top = thread->top;

	if (selfmon_on_own_stack(thread, address))
		return top > thread->open &&
		       selfmon_entry_on_other_stack(thread, top);
	return !selfmon_kernel_on_signal_stack();
}

/*
 * Does a visit that begins at this address belong to a coroutine, or to code
 * that goes on while one is in a region? What of such visits lies inside of
 * what else cannot be told: they are counted, and from the first of them on
 * the thread goes the way on which each is seen.
 */
bool selfmon_unwind_strange(struct selfmon_thread *thread, uint64_t address)
{
	if (contradicts_bounds(thread, address))
		selfmon_bounds_review(thread, address);
	if (!is_switched(thread, address))
		return false;
	__atomic_or_fetch(&thread->mode, SELFMON_MODE_STACKS, __ATOMIC_RELAXED);
	return true;
}

/* The entry of this frame, or NULL. */
static struct selfmon_open *find_visit(struct selfmon_thread *thread,
				       const struct selfmon_frame *frame)
{
	struct selfmon_open *open = thread->top;

	for (; open > thread->open; open--)
		if (selfmon_entry_is_of(open, frame))
			return open;
	return NULL;
}

/* Word by word: another thread may be looking at either. */
static void copy_entry(struct selfmon_open *to, const struct selfmon_open *from)
{
	typedef uint64_t word __attribute__((may_alias));
	const word *const source = (const word *)from;
	word *const target = (word *)to;
	size_t i;

	for (i = 0; i < sizeof(*to) / sizeof(word); i++)
		selfmon_store_once(&target[i], selfmon_load_once(&source[i]));
}

/* Whoever sees this mark there sees the whole entry; until then, none. */
static void put_entry(struct selfmon_open *to, struct selfmon_open *whole)
{
	const uint64_t mark = whole->mark;

	whole->mark = SELFMON_MARK_NONE;
	selfmon_store_once(&to->mark, SELFMON_MARK_NONE);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	copy_entry(to, whole);
	__atomic_store_n(&to->mark, mark, __ATOMIC_RELEASE);
}

/* The place of a visit that goes on below this parent. */
static void hang_below(struct selfmon_thread *thread,
		       struct selfmon_node *parent, struct selfmon_open *open)
{
	struct selfmon_node *const node =
		selfmon_tree_child(thread, parent, open->node->region);
	struct selfmon_node *const before = open->parent;

	open->parent = parent;
	if (!node) { /* no more places, no memory: it stays there */
		if (open->node->parent == before)
			selfmon_tree_displaced(thread, before);
		return;
	}
	selfmon_stats_move_units(open->node->stats, node->stats);
	open->node = node;
}

/*
 * The entries above this one go on without it: as children of its parent, one
 * place down. Those that were inside of one another stay so. Another thread may
 * be leaving one of them meanwhile: from the top down, it finds the one that
 * was moved or the one that was there before; and if it was faster with the
 * latter, its visit is left in the former too.
 */
static void take_out(struct selfmon_thread *thread, struct selfmon_open *open)
{
	struct selfmon_open gone, moved;
	struct selfmon_node *parent;

	copy_entry(&gone, open);
	parent = gone.parent;
	for (; open < thread->top; open++) {
		copy_entry(&moved, open + 1);
		/* Recorded: no visit, nor is it anybody's parent. */
		if (!selfmon_entry_is_recorded(&moved)) {
			hang_below(thread, parent, &moved);
			parent = moved.node;
			if (selfmon_entry_on_other_stack(thread, &moved))
				selfmon_rare_add(parent->stats,
						 SELFMON_RARE_STACK, 1);
		}
		put_entry(open, &moved);
		if (__atomic_exchange_n(&open[1].mark, SELFMON_MARK_NONE,
					__ATOMIC_ACQ_REL) == SELFMON_MARK_LEFT)
			selfmon_store_once(&open->mark, SELFMON_MARK_LEFT);
	}
	gone.parent = parent;
	put_entry(open, &gone);
}

/*
 * Lexical entries above a lexical one are dead, since their blocks lie inside
 * of its block; spans, and all that lies above a span, live on, and so does
 * what is on another stack. It goes on itself until it is recorded: what ends
 * it before that finds it.
 */
static void bring_up(struct selfmon_thread *thread, struct selfmon_open *open)
{
	while (thread->top > open &&
	       selfmon_dead_above(thread, open, thread->top))
		selfmon_unwind_cut_off(thread);
	if (thread->top == open)
		return;
	selfmon_rare_add(open->parent->stats, SELFMON_RARE_OVERLAPPED, 1);
	take_out(thread, open);
	thread->node = thread->top->node;
}

/*
 * Brings the entry of this frame to the top. False: there is no such entry any
 * more. Signals wait: a handler with regions drops what it finds dead as well.
 */
bool selfmon_unwind_to(struct selfmon_thread *thread,
		       const struct selfmon_frame *frame)
{
	struct selfmon_open *open = find_visit(thread, frame);
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;

	if (!open || open == thread->top)
		return open;
	selfmon_cancel_off(&cancel);
	selfmon_thread_busy(thread, &signals);
	selfmon_bounds_settle(thread);
	open = find_visit(thread, frame); /* where a handler has left it */
	if (open)
		bring_up(thread, open);
	selfmon_thread_idle(thread, &signals);
	selfmon_cancel_restore(&cancel);
	return open;
}

/* Its visit ends first: what was inside of it may come to its very place. */
static void take_out_dead(struct selfmon_thread *thread,
			  struct selfmon_open *open)
{
	const bool chained = !selfmon_entry_is_recorded(open);
	const bool is_top = open == thread->top;

	if (chained)
		end_visit(open);
	take_out(thread, open);
	if (chained || !is_top)
		thread->node = thread->top->parent;
	selfmon_unwind_cut_off(thread);
}

static void drop_dead(struct selfmon_thread *thread,
		      const struct selfmon_frame *frame, uint64_t address)
{
	struct selfmon_open *under, *dead;

	do {
		dead = selfmon_dead_on_top(thread, frame, address, &under);
		while (dead && thread->top >= dead)
			selfmon_unwind_cut_off(thread);
		if (under)
			take_out_dead(thread, under);
	} while (under && thread->top > thread->open);
}

/* Looked for again once signals wait: a handler may have dropped the same. */
void selfmon_unwind_dead(struct selfmon_thread *thread,
			 const struct selfmon_frame *frame, uint64_t address)
{
	struct selfmon_open *under;
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;

	if (!selfmon_dead_on_top(thread, frame, address, &under) && !under)
		return;
	selfmon_cancel_off(&cancel);
	selfmon_thread_busy(thread, &signals);
	drop_dead(thread, frame, address);
	selfmon_thread_idle(thread, &signals);
	selfmon_cancel_restore(&cancel);
}

/*
 * Where there is no room for one more entry: takes out those that are dead, but
 * lie under spans, which says nothing of what is above them; and where bounds
 * are not exact, those that most likely are.
 */
void selfmon_unwind_sweep(struct selfmon_thread *thread, uint64_t address)
{
	struct selfmon_open *open = thread->open + 1;
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;

	selfmon_cancel_off(&cancel);
	selfmon_thread_busy(thread, &signals);
	selfmon_bounds_settle(thread);
	while (open <= thread->top) {
		if (selfmon_dead_for_certain(thread, open, address) ||
		    selfmon_dead_or_dropped(thread, open, address))
			take_out_dead(thread, open);
		else
			open++;
	}
	selfmon_thread_idle(thread, &signals);
	selfmon_cancel_restore(&cancel);
}
