/* SPDX-License-Identifier: MIT */
/*
 * Finds the bounds of the calling thread's own stack and of its signal stack.
 */
#ifndef SELFMON_PLATFORM_STACK_H
#define SELFMON_PLATFORM_STACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How reliable the bounds [low, high) are. Code outside of wide or exact bounds
 * is on another stack. Code inside of exact bounds is on the thread's own
 * stack. Code inside of wide bounds may be on either.
 */
enum selfmon_stack {
	SELFMON_STACK_GUESSED, /* plausible, not verified */
	SELFMON_STACK_WIDE,    /* [0, INT64_MAX): nothing is known */
	SELFMON_STACK_EXACT,
};

/*
 * Returns the bounds of the calling thread's own stack. here is an address on
 * the current stack. Guesses if here is near the end of a thread's own stack,
 * which takes one system call.
 *
 * Async-signal-safe, and does not call malloc(3): a thread's first visit may be
 * in a handler that interrupted malloc. Block signals before, see mapping.h.
 */
enum selfmon_stack selfmon_stack_guess(uint64_t here, uint64_t *low,
				       uint64_t *high);

/*
 * The same without guessing. Takes some system calls, or reads the list of
 * mappings.
 */
enum selfmon_stack selfmon_stack_find(uint64_t here, uint64_t *low,
				      uint64_t *high);

/*
 * If the stack that ends at high is the main thread's, lowers *low if its limit
 * was raised or if the stack reaches down to this address. Block signals as
 * above.
 */
void selfmon_stack_grow(uint64_t address, uint64_t *low, uint64_t high);

/*
 * Returns true if one of the two addresses is on the stack of sigaltstack(2),
 * and the other one is not.
 */
bool selfmon_stack_alternates(uint64_t a, uint64_t b);

#endif
