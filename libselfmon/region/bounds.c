/* SPDX-License-Identifier: MIT */
/*
 * Bounds of a thread's own stack. Guessed ones cost a usual visit nothing: a
 * visit outside of them, a jump or a leave out of order makes the thread ask.
 * No rule that ends a visit trusts a guess.
 */
#include "region/bounds.h"

#include "platform/cancel.h"
#include "region/dead.h"
#include "region/thread.h"

/* The sentinel's mark is the end: enter compares its address with it. */
static void set_end(struct selfmon_thread *thread, uint64_t high)
{
	thread->stack_high = high;
	selfmon_store_once(&thread->open->mark, high);
}

void selfmon_bounds_begin(struct selfmon_thread *thread, uint64_t here)
{
	uint64_t high;

	thread->stack = selfmon_stack_guess(here, &thread->stack_low, &high);
	set_end(thread, high);
}

/* Of open visits, those outside of the guess were looked at as they began. */
static bool was_wrong(const struct selfmon_thread *thread, uint64_t low,
		      uint64_t high)
{
	const struct selfmon_open *open;

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
		__atomic_or_fetch(&thread->mode, SELFMON_MODE_STACKS,
				  __ATOMIC_RELAXED);
}

void selfmon_bounds_review(struct selfmon_thread *thread, uint64_t address)
{
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;

	selfmon_cancel_off(&cancel);
	selfmon_thread_busy(thread, &signals);
	if (thread->stack == SELFMON_STACK_GUESSED)
		selfmon_bounds_settle(thread);
	else if (thread->stack == SELFMON_STACK_EXACT)
		selfmon_stack_grow(address, &thread->stack_low,
				   thread->stack_high);
	selfmon_thread_idle(thread, &signals);
	selfmon_cancel_restore(&cancel);
}

void selfmon_bounds_copy(struct selfmon_thread *to,
			 const struct selfmon_thread *from)
{
	to->stack = from->stack;
	to->stack_low = from->stack_low;
	set_end(to, from->stack_high);
}
