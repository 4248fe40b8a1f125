/* SPDX-License-Identifier: MIT */
/*
 * Open visits whose code has gone away, known by where it stood on the stack:
 * an entry below the one that enters now cannot be alive, nor can one whose
 * frame's bytes are being used again. Spans say nothing by their address: they
 * are the caller's, anywhere.
 */
#include "platform/stack.h"
#include "region/dead.h"

static bool overlaps(const struct selfmon_frame *a,
		     const struct selfmon_frame *b)
{
	const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return x < y + sizeof(*b) && y < x + sizeof(*a);
}

/*
 * Is this address certainly on the same stack as a higher one? A stack for
 * signals may lie inside of the thread's own, in a caller's array.
 */
static bool is_lower(const struct selfmon_thread *thread, uint64_t low,
		     uint64_t high)
{
	return low < high && thread->stack == SELFMON_STACK_EXACT &&
	       selfmon_on_own_stack(thread, low) &&
	       selfmon_on_own_stack(thread, high) &&
	       !selfmon_stack_alternates(low, high);
}

/* Does this lexical entry stand lower than an address on the same stack? */
static bool is_below(const struct selfmon_thread *thread,
		     const struct selfmon_open *open, uint64_t address)
{
	return is_lower(thread, selfmon_entry_mark(open), address);
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
 * The whole chain is looked at down to the first entry that is certainly alive:
 * a frame used again kills all that lies above it, or only *under, where
 * something lives between. An entry lower than this code does so only where all
 * above it are dead anyway: one below an entry of this very function was dead
 * before that was entered, under a span that kept it from being seen.
 *
 * An entry that is not part of the chain of nodes was interrupted while it was
 * filled in or given back: it goes with what is below it, unless it is dead by
 * its own address: code as high as that would not run while it is interrupted.
 * What its other members say may be of its last use.
 */
struct selfmon_open *selfmon_dead_on_top(const struct selfmon_thread *thread,
					 const struct selfmon_frame *frame,
					 uint64_t address,
					 struct selfmon_open **under)
{
	const struct selfmon_node *node = thread->node;
	struct selfmon_open *open = thread->top, *dead = NULL;
	bool all = true; /* above this one, are dead or go with it */

	*under = NULL;
	for (; open > thread->open; open--) {
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
			dead = open;
		} else if (all &&
			   (chained || !selfmon_entry_is_recorded(open)) &&
			   is_below(thread, open, address + !chained)) {
			dead = open;
		} else if (chained && mark == address) {
			all = false;
		} else if (chained) {
			break;
		}
	}
	return dead;
}

/*
 * Can an entry above another be on the same stack, or a handler's on the stack
 * for signals? What one stack has above a living visit stands lower.
 */
static bool is_inside(const struct selfmon_thread *thread,
		      const struct selfmon_open *open, uint64_t mark)
{
	const uint64_t below = selfmon_entry_mark(open);

	return thread->stack == SELFMON_STACK_EXACT || mark <= below ||
	       selfmon_stack_alternates(mark, below);
}

/* Not where either says nothing by its address, or is on another stack. */
bool selfmon_dead_above(const struct selfmon_thread *thread,
			const struct selfmon_open *open,
			const struct selfmon_open *top)
{
	const uint64_t mark = selfmon_entry_mark(top);
	const bool recorded = mark & SELFMON_MARK_RECORDED;

	if (mark == SELFMON_MARK_LEFT)
		return true;
	if (selfmon_entry_is_span(open))
		return false;
	if (!recorded && (mark & SELFMON_MARK_SPAN ||
			  !is_inside(thread, open, mark)))
		return false;
	return !(selfmon_load_once(&thread->mode) & SELFMON_MODE_STACKS) ||
	       (selfmon_on_own_stack(thread, selfmon_entry_mark(open)) &&
		(recorded || selfmon_on_own_stack(thread, mark)));
}

/*
 * One that was interrupted while it was filled in or given back is known by its
 * frame alone.
 */
bool selfmon_dead_for_certain(const struct selfmon_thread *thread,
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
	return is_lower(thread, frame, address);
}

bool selfmon_dead_or_dropped(const struct selfmon_thread *thread,
			     const struct selfmon_open *open, uint64_t address)
{
	const uint64_t mark = selfmon_entry_mark(open);

	return thread->stack != SELFMON_STACK_EXACT &&
	       selfmon_mark_goes_on(mark) && !(mark & SELFMON_MARK_SPAN) &&
	       mark < address && !selfmon_stack_alternates(mark, address);
}
