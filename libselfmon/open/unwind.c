/* SPDX-License-Identifier: MIT */
/*
 * Ends abandoned visits: a longjmp runs no leave, so the visits that it skips
 * are cut off here. Also handles a visit that is left while newer visits are
 * alive: its entry is removed, and the newer visits stay open.
 *
 * Entries are memory of the library, and pointers to frames are never
 * dereferenced. So nothing here can access a stack that no longer exists.
 */
#include "open/unwind.h"

#include "open/abandoned.h"
#include "open/bounds.h"
#include "open/entry.h"
#include "open/take_out.h"
#include "platform/kernel.h"
#include "store/mend.h"
#include "store/self.h"
#include "store/state.h"
#include "store/stats.h"

/*
 * Cuts off a visit that a jump abandoned, possibly while it was being recorded,
 * or a span that is evicted. The steps are ordered so that a handler may jump
 * out of this function too: the visit is then still ended correctly.
 */
void selfmon_unwind_end(struct selfmon_visit *open)
{
	struct selfmon_stats *const stats = open->node->stats;
	const bool updating = stats->sequence & 1;

	if (updating) {
		selfmon_stats_mend(stats);
		selfmon_rare_add(stats, SELFMON_RARE_REPAIRED, 1);
	}
	selfmon_compiler_fence();
	selfmon_mark_recorded(&open->mark);
	selfmon_compiler_fence();
	selfmon_stats_drop_units(stats);
	selfmon_compiler_fence();
	if (updating)
		selfmon_stats_end(stats);
	else
		selfmon_rare_add(stats, SELFMON_RARE_CUT_OFF, 1);
}

/*
 * Like selfmon_unwind_end(), for an entry whose visit was already recorded when
 * a jump interrupted the update of its statistics: only ends the update.
 */
static void end_update(const struct selfmon_visit *open)
{
	struct selfmon_stats *const stats = open->node->stats;

	if (!(stats->sequence & 1))
		return;
	selfmon_stats_drop_units(stats);
	selfmon_compiler_fence();
	selfmon_stats_end(stats);
}

/*
 * Drops the top entry. If the entry has no mark, its visit never began or is
 * already recorded.
 */
void selfmon_unwind_cut_off(struct selfmon_thread *thread)
{
	struct selfmon_visit *const top = thread->top;

	if (selfmon_entry_is_open(top))
		selfmon_unwind_end(top);
	else if (top->node) /* the entry was used before */
		end_update(top);
	selfmon_store_once(&top->mark, SELFMON_MARK_NONE);
	selfmon_compiler_fence();
	selfmon_store_once(&thread->top, top - 1);
}

/*
 * Returns true if the stack address of the running code shows that the bounds
 * are outdated or were guessed wrong. A handler on a signal stack shows
 * nothing, and neither does a thread that is known to use other stacks. An
 * address above that of the newest visit means that there was a jump or a
 * switch of stacks: only exact bounds distinguish the two.
 */
static bool contradicts_bounds(const struct selfmon_thread *thread,
			       uint64_t address)
{
	const uint64_t mark = selfmon_entry_mark(thread->top);

	if (selfmon_on_own_stack(thread, address))
		return thread->stack == SELFMON_STACK_GUESSED &&
		       selfmon_mark_is_lexical(mark) && mark < address;
	return !(selfmon_load_once(&thread->mode) & SELFMON_MODE_STACKS) &&
	       !selfmon_kernel_on_signal_stack();
}

/*
 * Returns true if the code is on another stack, or if it is on the thread's own
 * stack and the newest visit is on another one. A handler on a signal stack
 * does not count as another stack.
 */
static bool is_switched(struct selfmon_thread *thread, uint64_t address)
{
	const struct selfmon_visit *const top = thread->top;

	if (selfmon_on_own_stack(thread, address))
		return top > thread->open &&
		       selfmon_entry_on_other_stack(thread, top);
	return !selfmon_kernel_on_signal_stack();
}

/*
 * Returns true if a visit that begins at this address belongs to a coroutine,
 * or to code that runs while a coroutine is in a region. The nesting of such
 * visits is unknown, so the caller counts them in SELFMON_RARE_STACK. From then
 * on the thread always takes the slow path, which detects further such visits.
 */
bool selfmon_unwind_strange(struct selfmon_thread *thread, uint64_t address)
{
	if (contradicts_bounds(thread, address))
		selfmon_bounds_review(thread, address);
	if (!is_switched(thread, address))
		return false;
	selfmon_thread_add_mode(thread, SELFMON_MODE_STACKS);
	return true;
}

static struct selfmon_visit *find_visit(struct selfmon_thread *thread,
					const struct selfmon_frame *frame)
{
	struct selfmon_visit *open = thread->top;

	for (; open > thread->open; open--)
		if (selfmon_entry_is_of(open, frame))
			return open;
	return NULL;
}

/*
 * Called if a visit is left that is not the newest: makes its entry the top
 * entry.
 *
 * If this entry is lexical, drops abandoned entries from the top down: lexical
 * entries on the same stack, whose blocks are inside the block of this entry.
 * The first span, or entry on another stack, may be alive: it stays, and so do
 * all entries below it. If this entry is a span, all entries stay. The visit
 * stays open until it is recorded, because a handler may end the visit before.
 */
static void bring_up(struct selfmon_thread *thread, struct selfmon_visit *open)
{
	while (thread->top > open &&
	       selfmon_abandoned_above(thread, open, thread->top))
		selfmon_unwind_cut_off(thread);
	if (thread->top == open)
		return;
	selfmon_rare_add(selfmon_entry_parent(thread, open)->stats,
			 SELFMON_RARE_OVERLAPPED, 1);
	selfmon_take_out(thread, open);
}

/*
 * Makes the entry of this frame the top entry. Returns false if the entry no
 * longer exists. Signals are blocked meanwhile, since a handler with regions
 * may also drop abandoned entries.
 */
bool selfmon_unwind_to(struct selfmon_thread *thread,
		       const struct selfmon_frame *frame)
{
	struct selfmon_visit *open = find_visit(thread, frame);
	struct selfmon_signals signals;

	if (!open || open == thread->top)
		return open;
	selfmon_thread_busy(thread, &signals);
	selfmon_bounds_settle(thread);
	/* A handler may have moved the entry. */
	open = find_visit(thread, frame);
	if (open)
		bring_up(thread, open);
	selfmon_thread_idle(thread, &signals);
	return open;
}

/*
 * Ends the visit before its entry is removed, since a visit inside it may move
 * to the same node.
 */
static void take_out_abandoned(struct selfmon_thread *thread,
			       struct selfmon_visit *open)
{
	if (selfmon_entry_is_open(open))
		selfmon_unwind_end(open);
	selfmon_take_out(thread, open);
	selfmon_unwind_cut_off(thread);
}

static void drop_abandoned(struct selfmon_thread *thread,
			   const struct selfmon_frame *frame, uint64_t address)
{
	struct selfmon_visit *under, *abandoned;

	do {
		abandoned = selfmon_abandoned_on_top(thread, frame, address,
						     &under);
		while (abandoned && thread->top >= abandoned)
			selfmon_unwind_cut_off(thread);
		if (under)
			take_out_abandoned(thread, under);
	} while (under && thread->top > thread->open);
}

/*
 * Searches again with signals blocked: a handler may have dropped the entries
 * that the first search found.
 */
void selfmon_unwind_abandoned(struct selfmon_thread *thread,
			      const struct selfmon_frame *frame,
			      uint64_t address)
{
	struct selfmon_visit *under;
	struct selfmon_signals signals;

	if (!selfmon_abandoned_on_top(thread, frame, address, &under) && !under)
		return;
	selfmon_thread_busy(thread, &signals);
	drop_abandoned(thread, frame, address);
	selfmon_thread_idle(thread, &signals);
}

/*
 * Called if all entries are in use. Removes entries that are abandoned but were
 * not detected because of a span above them. If the bounds are not exact, also
 * removes entries that are probably abandoned.
 */
void selfmon_unwind_sweep(struct selfmon_thread *thread, uint64_t address)
{
	struct selfmon_visit *open = thread->open + 1;
	struct selfmon_signals signals;

	selfmon_thread_busy(thread, &signals);
	selfmon_bounds_settle(thread);
	while (open <= thread->top) {
		if (selfmon_abandoned_for_certain(thread, open, address) ||
		    selfmon_abandoned_or_switched(thread, open, address))
			take_out_abandoned(thread, open);
		else
			open++;
	}
	selfmon_thread_idle(thread, &signals);
}
