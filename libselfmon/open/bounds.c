/* SPDX-License-Identifier: MIT */
#include "open/bounds.h"

#include "open/abandoned.h"
#include "open/entry.h"
#include "store/self.h"

/*
 * Call after the lower bound is set. Sets the upper bound of the stack, also as
 * the mark of the sentinel (the entry below all visits). Enter compares the
 * caller's stack address with the newest mark, which is the mark of the
 * sentinel if no visit is open. Also updates thread->low.
 */
static void set_end(struct selfmon_thread *thread, uint64_t high)
{
	selfmon_thread_gate(thread);
	thread->stack_high = high;
	selfmon_store_once(&thread->open->mark, high);
}

void selfmon_bounds_begin(struct selfmon_thread *thread, uint64_t here)
{
	uint64_t high;

	thread->stack = selfmon_stack_guess(here, &thread->stack_low, &high);
	set_end(thread, high);
}

/*
 * Returns true if the guessed bounds included another stack, on which there is
 * an open visit. Visits outside of the guessed bounds were checked when they
 * began.
 */
static bool was_wrong(const struct selfmon_thread *thread, uint64_t low,
		      uint64_t high)
{
	const struct selfmon_visit *open;

	for (open = thread->top; open > thread->open; open--) {
		const uint64_t mark = selfmon_entry_mark(open);

		if (mark >= low && mark < high &&
		    selfmon_entry_on_other_stack(thread, open))
			return true;
	}
	return false;
}

void selfmon_bounds_settle(struct selfmon_thread *thread)
{
	const uint64_t guessed_low = thread->stack_low;
	const uint64_t guessed_high = thread->stack_high;
	uint64_t high;

	if (thread->stack != SELFMON_STACK_GUESSED)
		return;
	thread->stack = selfmon_stack_find(
		(uint64_t)(uintptr_t)__builtin_frame_address(0),
		&thread->stack_low, &high);
	set_end(thread, high);
	if (was_wrong(thread, guessed_low, guessed_high))
		selfmon_thread_add_mode(thread, SELFMON_MODE_STACKS);
}

void selfmon_bounds_review(struct selfmon_thread *thread, uint64_t address)
{
	struct selfmon_signals signals;

	selfmon_thread_busy(thread, &signals);
	if (thread->stack == SELFMON_STACK_GUESSED)
		selfmon_bounds_settle(thread);
	else if (thread->stack == SELFMON_STACK_EXACT)
		selfmon_stack_grow(address, &thread->stack_low,
				   thread->stack_high);
	selfmon_thread_idle(thread, &signals);
}

void selfmon_bounds_copy(struct selfmon_thread *to,
			 const struct selfmon_thread *from)
{
	to->stack = from->stack;
	to->stack_low = from->stack_low;
	set_end(to, from->stack_high);
}
