/* SPDX-License-Identifier: MIT */
/*
 * Finds the bounds of the calling thread's own stack and of its signal stack.
 */
#ifndef SELFMON_PLATFORM_STACK_H
#define SELFMON_PLATFORM_STACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How well the bounds [low, high) are known. Code outside of wide or exact
 * bounds is on another stack. Code inside of exact bounds is on the thread's
 * own stack; inside of wide ones it may be on either.
 */
enum selfmon_stack {
	SELFMON_STACK_GUESSED, /* plausible, not verified */
	SELFMON_STACK_WIDE,    /* [0, INT64_MAX): nothing is known */
	SELFMON_STACK_EXACT,
};

/*
 * Returns bounds of the calling thread's own stack; here: an address on the
 * current stack. Guesses if here is near the end of a thread's own stack: that
 * costs one system call.
 *
 * Async-signal-safe, without malloc(3): a thread's first visit may be in a
 * handler that interrupted it. Block signals, see mapping.h.
 */
enum selfmon_stack selfmon_stack_guess(uint64_t here, uint64_t *low,
				       uint64_t *high);

/* The same without guessing: a few system calls, or a read of the maps. */
enum selfmon_stack selfmon_stack_find(uint64_t here, uint64_t *low,
				      uint64_t *high);

/*
 * Lowers *low if the stack with this end is the main thread's, and its limit
 * was raised or it reaches down to this address. Signals: as above.
 */
void selfmon_stack_grow(uint64_t address, uint64_t *low, uint64_t high);

/*
 * Returns true if exactly one of two addresses is on the stack of
 * sigaltstack(2).
 */
bool selfmon_stack_alternates(uint64_t a, uint64_t b);

#endif
