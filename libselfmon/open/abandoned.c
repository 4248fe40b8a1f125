/* SPDX-License-Identifier: MIT */
/*
 * Finds abandoned visits by their addresses on the stack. A visit whose address
 * is below the code that enters now cannot be alive, nor can one whose frame's
 * bytes are reused. The mark of a span has no address: its frame may be
 * anywhere.
 */
#include "open/abandoned.h"

#include "open/entry.h"
#include "platform/stack.h"
#include "store/self.h"

static bool overlaps(const struct selfmon_frame *a,
		     const struct selfmon_frame *b)
{
	const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return x < y + sizeof(*b) && y < x + sizeof(*a);
}

/*
 * Returns true if low is certainly on the same stack as high, and below it. A
 * signal stack may lie inside of the thread's own stack, in a local array of a
 * caller.
 */
static bool is_lower(const struct selfmon_thread *thread, uint64_t low,
		     uint64_t high)
{
	return low < high && thread->stack == SELFMON_STACK_EXACT &&
	       selfmon_on_own_stack(thread, low) &&
	       selfmon_on_own_stack(thread, high) &&
	       !selfmon_stack_alternates(low, high);
}

/* Returns true if this lexical entry is below an address on the same stack. */
static bool is_below(const struct selfmon_thread *thread,
		     const struct selfmon_visit *open, uint64_t address)
{
	return is_lower(thread, selfmon_entry_mark(open), address);
}

/*
 * Returns true if an entry of the given function is alive above an abandoned
 * one. A function that was called from the abandoned code's position has its
 * frame and its return address below that position.
 */
static bool lives_above(const struct selfmon_thread *thread,
			const struct selfmon_visit *abandoned, uint64_t address)
{
	const struct selfmon_visit *open;

	for (open = abandoned + 1; open <= thread->top; open++) {
		const uint64_t end = (uint64_t)(uintptr_t)(selfmon_entry_frame(open) + 1);

		if (selfmon_entry_mark(open) == address &&
		    end + sizeof(uintptr_t) > selfmon_entry_mark(abandoned))
			return true;
	}
	return false;
}

/*
 * Walks the chain of entries down to the first one that is certainly alive. An
 * entry whose frame is reused is abandoned. All entries above it are abandoned
 * too, unless lives_above() finds one that is alive: then only this entry is
 * abandoned, and *under points to it.
 *
 * An entry below the code that enters now counts as abandoned only if all
 * entries above it are abandoned. If an entry of this function above it is
 * alive, the lower entry was abandoned before that one was entered, and was
 * hidden under a span.
 *
 * An entry without a visit was interrupted while it was filled in or given
 * back. It counts as abandoned if the entry below it does. Its members may be
 * from its last use.
 */
struct selfmon_visit *
selfmon_abandoned_on_top(const struct selfmon_thread *thread,
			 const struct selfmon_frame *frame, uint64_t address,
			 struct selfmon_visit **under)
{
	struct selfmon_visit *open = thread->top, *abandoned = NULL;
	/*
	 * All entries above are abandoned, or count as abandoned with this one.
	 */
	bool all = true;

	*under = NULL;
	for (; open > thread->open; open--) {
		if (!selfmon_entry_is_open(open))
			continue;
		if (overlaps(selfmon_entry_frame(open), frame)) {
			if (!all && lives_above(thread, open, address)) {
				*under = open;
				break;
			}
			all = true;
			abandoned = open;
		} else if (all && is_below(thread, open, address)) {
			abandoned = open;
		} else if (selfmon_entry_mark(open) == address) {
			all = false;
		} else {
			break;
		}
	}
	return abandoned;
}

/*
 * Returns true if one entry above another can be on the same stack, or belongs
 * to a handler on the signal stack. An entry above a living visit on the same
 * stack has a lower address.
 */
static bool is_inside(const struct selfmon_thread *thread,
		      const struct selfmon_visit *open, uint64_t mark)
{
	const uint64_t below = selfmon_entry_mark(open);

	return thread->stack == SELFMON_STACK_EXACT || mark <= below ||
	       selfmon_stack_alternates(mark, below);
}

/* Returns false if one of them is a span, or is on another stack. */
bool selfmon_abandoned_above(const struct selfmon_thread *thread,
			     const struct selfmon_visit *open,
			     const struct selfmon_visit *top)
{
	const uint64_t mark = selfmon_entry_mark(top);
	const bool recorded = !selfmon_entry_is_open(top);

	if (selfmon_entry_is_span(open))
		return false;
	if (!recorded && (selfmon_entry_is_span(top) ||
			  !is_inside(thread, open, mark)))
		return false;
	return !(selfmon_load_once(&thread->mode) & SELFMON_MODE_STACKS) ||
	       (selfmon_on_own_stack(thread, selfmon_entry_mark(open)) &&
		(recorded || selfmon_on_own_stack(thread, mark)));
}

/*
 * Judges an entry by its frame alone if it was interrupted while it was filled
 * in or given back.
 */
bool selfmon_abandoned_for_certain(const struct selfmon_thread *thread,
				   const struct selfmon_visit *open,
				   uint64_t address)
{
	if (selfmon_entry_is_open(open))
		return is_below(thread, open, address);
	return is_lower(thread, (uint64_t)(uintptr_t)open->frame, address);
}

bool selfmon_abandoned_or_switched(const struct selfmon_thread *thread,
				   const struct selfmon_visit *open,
				   uint64_t address)
{
	const uint64_t mark = selfmon_entry_mark(open);

	return thread->stack != SELFMON_STACK_EXACT &&
	       selfmon_mark_is_lexical(mark) && mark < address &&
	       !selfmon_stack_alternates(mark, address);
}
