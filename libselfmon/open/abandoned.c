/* SPDX-License-Identifier: MIT */
/*
 * Finds open visits whose function is gone, for example after a longjmp. The
 * stack grows downward: a visit entered at a lower stack address than the code
 * that enters now cannot be alive. A visit whose struct selfmon_frame overlaps
 * the new frame cannot be alive either. The mark of a span is not an address,
 * because the frame of a span may be anywhere.
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
 * Returns true if low is certainly on the same stack as high, at a lower
 * address. A signal stack may lie inside of the thread's own stack, as a local
 * array of a caller.
 */
static bool is_lower(const struct selfmon_thread *thread, uint64_t low,
		     uint64_t high)
{
	return low < high && thread->stack == SELFMON_STACK_EXACT &&
	       selfmon_on_own_stack(thread, low) &&
	       selfmon_on_own_stack(thread, high) &&
	       !selfmon_stack_alternates(low, high);
}

/*
 * Returns true if this lexical entry is certainly on the same stack as
 * `address`, at a lower address.
 */
static bool is_below(const struct selfmon_thread *thread,
		     const struct selfmon_visit *open, uint64_t address)
{
	return is_lower(thread, selfmon_entry_mark(open), address);
}

/*
 * Returns true if an entry above `abandoned` is alive: its mark is `address`,
 * the stack address of the function that enters now, and this function entered
 * it. A function that the abandoned code called before its jump may have left
 * an entry with the same mark. But the frame and the return address of that
 * function are below the mark of `abandoned`, because the stack grows downward.
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
 * Walks from the newest entry down. Stops at the first entry that is not known
 * to be abandoned and does not have the mark `address`; such an entry may be a
 * span. An entry is abandoned if its frame overlaps the new frame. All entries
 * above it are then abandoned too, unless lives_above() finds a living one. In
 * that case only the overlapped entry is abandoned, and *under points to it.
 *
 * An entry with a lower stack address than the code that enters now is
 * abandoned too. But the search returns this entry only if all entries above it
 * are abandoned. Below a living entry of the entering function, the abandoned
 * entry stays.
 *
 * An entry without a visit belongs to an enter or leave that was interrupted.
 * Such an entry is abandoned if the entry below it is abandoned. Its members
 * may be stale.
 */
struct selfmon_visit *
selfmon_abandoned_on_top(const struct selfmon_thread *thread,
			 const struct selfmon_frame *frame, uint64_t address,
			 struct selfmon_visit **under)
{
	struct selfmon_visit *open = thread->top, *abandoned = NULL;
	/* False if an entry above may be alive: its mark is `address`. */
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
 * Returns true if an entry with this mark can belong to code that was called
 * inside of the visit `open`. On one stack the inner entry has the lower
 * address. A handler may also run on the signal stack. With exact bounds, the
 * caller compares the stacks.
 */
static bool is_inside(const struct selfmon_thread *thread,
		      const struct selfmon_visit *open, uint64_t mark)
{
	const uint64_t below = selfmon_entry_mark(open);

	return thread->stack == SELFMON_STACK_EXACT || mark <= below ||
	       selfmon_stack_alternates(mark, below);
}

/*
 * False if one of the entries is a span or on another stack: spans need not
 * nest, and code on another stack may go on, so the top entry may be alive.
 * Also false if the bounds of the stack are not exact, and the top entry's
 * address is above the other's: then it is not inside of the other, and may be
 * on another stack, unless exactly one of the two is on the signal stack. A top
 * entry without a visit is never alive, and is not checked.
 */
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
 * If the entry has no visit (its enter or leave was interrupted), compares the
 * address of its frame instead of its mark.
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
