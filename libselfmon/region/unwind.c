/* SPDX-License-Identifier: MIT */
/*
 * Open visits whose code has gone away, and leaves that come out of order.
 *
 * A longjmp runs no leave. The entries it went past are recognised by where
 * their code stood on the stack: an entry below the one that enters now
 * cannot be alive, nor can one whose frame's bytes are being used again.
 * Spans say nothing by their address: they are the caller's, anywhere.
 *
 * Entries are the library's own memory and frames are never followed, so
 * that nothing here can touch a stack that is gone.
 */
#include "platform/cancel.h"
#include "platform/kernel.h"
#include "platform/stack.h"
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

static bool on_own_stack(const struct selfmon_thread *thread, uint64_t address)
{
	return address >= thread->stack_low && address < thread->stack_high;
}

static bool is_on_other(const struct selfmon_thread *thread,
			const struct selfmon_open *open)
{
	const uint64_t mark = selfmon_entry_mark(open);

	return selfmon_mark_goes_on(mark) && !(mark & SELFMON_MARK_SPAN) &&
	       thread->stack_high && !on_own_stack(thread, mark);
}

/* Another stack, with no open entry of it below: a handler's is none. */
static bool is_switched(struct selfmon_thread *thread, uint64_t address)
{
	const struct selfmon_open *const top = thread->top;

	if (on_own_stack(thread, address))
		return top > thread->open && is_on_other(thread, top);
	if (!(selfmon_load_once(&thread->mode) & SELFMON_MODE_STACKS))
		selfmon_stack_grown(&thread->stack_low, thread->stack_high);
	return !on_own_stack(thread, address) &&
	       !selfmon_kernel_on_signal_stack();
}

/*
 * Does a visit that begins at this address belong to a coroutine, or to code
 * that goes on while one is in a region? What of such visits lies inside of
 * what else cannot be told: they are counted, and from the first of them on
 * the thread goes the way on which each is seen.
 */
bool selfmon_unwind_strange(struct selfmon_thread *thread, uint64_t address)
{
	if (!thread->stack_high || !is_switched(thread, address))
		return false;
	__atomic_or_fetch(&thread->mode, SELFMON_MODE_STACKS, __ATOMIC_RELAXED);
	return true;
}

static bool overlaps(const struct selfmon_frame *a,
		     const struct selfmon_frame *b)
{
	const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return x < y + sizeof(*b) && y < x + sizeof(*a);
}

/*
 * Does this lexical entry stand lower than an address on the same stack? A
 * stack for signals may lie inside of the thread's own, in a caller's array.
 */
static bool is_below(const struct selfmon_thread *thread,
		     const struct selfmon_open *open, uint64_t address)
{
	const uint64_t mark = selfmon_entry_mark(open);

	return mark < address && on_own_stack(thread, mark) &&
	       on_own_stack(thread, address) &&
	       !selfmon_stack_alternates(mark, address);
}

/*
 * Does an entry of this very function live above a dead one? Of a function
 * that was called from where the dead one stood, the frame and the address to
 * return to lie lower than that.
 */
static bool lives_above(const struct selfmon_thread *thread,
			const struct selfmon_open *dead, uint64_t address)
{
	const struct selfmon_open *open;

	for (open = dead + 1; open <= thread->top; open++) {
		const uint64_t end = (uint64_t)(uintptr_t)(open->frame + 1);

		if (selfmon_entry_mark(open) == address &&
		    end + sizeof(uintptr_t) > selfmon_entry_mark(dead))
			return true;
	}
	return false;
}

/*
 * How many of the top entries are dead, now that code at this address enters
 * with this frame. The whole chain is looked at down to the first entry that
 * is certainly alive: a frame used again kills all that lies above it, or only
 * *under, where something lives between. An entry lower than this code does so
 * only where all above it are dead anyway: one below an entry of this very
 * function was dead before that was entered, under a span that kept it from
 * being seen.
 *
 * An entry that is not part of the chain of nodes was interrupted while it was
 * filled in or given back: it goes with what is below it, unless it is dead by
 * its own address: code as high as that would not run while it is interrupted.
 * What its other members say may be of its last use.
 */
static size_t dead_entries(const struct selfmon_thread *thread,
			   const struct selfmon_frame *frame, uint64_t address,
			   struct selfmon_open **under)
{
	const struct selfmon_node *node = thread->node;
	struct selfmon_open *open = thread->top;
	bool all = true; /* above this one, are dead or go with it */
	size_t dead = 0;

	for (; open > thread->open; open--) {
		const size_t upto = (size_t)(thread->top - open) + 1;
		const bool chained = open->node == node;
		const uint64_t mark = selfmon_entry_mark(open);

		if (chained)
			node = open->parent;
		if (chained && (mark == SELFMON_MARK_LEFT ||
				overlaps(open->frame, frame))) {
			if (!all && lives_above(thread, open, address)) {
				*under = open;
				break;
			}
			all = true;
			dead = upto;
		} else if (all &&
			   (chained || !selfmon_entry_is_recorded(open)) &&
			   is_below(thread, open, address + !chained)) {
			dead = upto;
		} else if (chained && mark == address) {
			all = false;
		} else if (chained) {
			break;
		}
	}
	return dead;
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

	open->parent = parent;
	if (!node)
		return; /* without memory, it stays where it was */
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
			if (is_on_other(thread, &moved))
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
 * Is what lies above an entry that is left dead with it? Not where either says
 * nothing by its address, or is on another stack.
 */
static bool is_dead_above(const struct selfmon_thread *thread,
			  const struct selfmon_open *open,
			  const struct selfmon_open *top)
{
	const uint64_t mark = selfmon_entry_mark(top);
	const bool recorded = mark & SELFMON_MARK_RECORDED;

	if (mark == SELFMON_MARK_LEFT)
		return true;
	if (selfmon_entry_is_span(open))
		return false;
	if (!recorded && mark & SELFMON_MARK_SPAN)
		return false;
	return !(selfmon_load_once(&thread->mode) & SELFMON_MODE_STACKS) ||
	       (on_own_stack(thread, selfmon_entry_mark(open)) &&
		(recorded || on_own_stack(thread, mark)));
}

/*
 * Brings the entry of this frame to the top. Lexical entries above a lexical
 * one are dead, since their blocks lie inside of its block; spans, and all
 * that lies above a span, live on, and so does what is on another stack.
 * False: there is no such entry any more.
 */
bool selfmon_unwind_to(struct selfmon_thread *thread,
		       const struct selfmon_frame *frame)
{
	struct selfmon_open *const open = find_visit(thread, frame);
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;

	if (!open)
		return false;
	while (thread->top > open && is_dead_above(thread, open, thread->top))
		selfmon_unwind_cut_off(thread);
	if (thread->top > open) {
		selfmon_cancel_off(&cancel);
		selfmon_thread_busy(thread, &signals);
		selfmon_rare_add(open->parent->stats, SELFMON_RARE_OVERLAPPED,
				 1);
		take_out(thread, open);
		selfmon_thread_idle(thread, &signals);
		selfmon_cancel_restore(&cancel);
	}
	return true;
}

/*
 * Has it gone for certain, whatever lies above it? One that was interrupted
 * while it was filled in or given back is known by its frame alone.
 */
static bool is_gone(const struct selfmon_thread *thread,
		    const struct selfmon_open *open, uint64_t address)
{
	const uint64_t frame = (uint64_t)(uintptr_t)open->frame;
	const uint64_t mark = selfmon_entry_mark(open);

	if (mark == SELFMON_MARK_LEFT)
		return true;
	if (mark == SELFMON_MARK_NONE) /* and it was never used before */
		return open < thread->top;
	if (!(mark & SELFMON_MARK_RECORDED))
		return is_below(thread, open, address);
	return frame < address && on_own_stack(thread, frame) &&
	       on_own_stack(thread, address) &&
	       !selfmon_stack_alternates(frame, address);
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

void selfmon_unwind_dead(struct selfmon_thread *thread,
			 const struct selfmon_frame *frame, uint64_t address)
{
	struct selfmon_open *under;
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;
	size_t dead;

	do {
		under = NULL;
		dead = dead_entries(thread, frame, address, &under);
		while (dead-- > 0)
			selfmon_unwind_cut_off(thread);
		if (!under)
			return;
		selfmon_cancel_off(&cancel);
		selfmon_thread_busy(thread, &signals);
		take_out_dead(thread, under);
		selfmon_thread_idle(thread, &signals);
		selfmon_cancel_restore(&cancel);
	} while (thread->top > thread->open);
}

/*
 * Where there is no room for one more entry: takes out those that are dead, but
 * lie under spans, which says nothing of what is above them.
 */
void selfmon_unwind_sweep(struct selfmon_thread *thread, uint64_t address)
{
	struct selfmon_open *open = thread->open + 1;
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;

	selfmon_cancel_off(&cancel);
	selfmon_thread_busy(thread, &signals);
	while (open <= thread->top) {
		if (is_gone(thread, open, address))
			take_out_dead(thread, open);
		else
			open++;
	}
	selfmon_thread_idle(thread, &signals);
	selfmon_cancel_restore(&cancel);
}
