/* SPDX-License-Identifier: MIT */
/* Where the calling thread's own stack lies, and its stack for signals. */
#ifndef SELFMON_PLATFORM_STACK_H
#define SELFMON_PLATFORM_STACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How well bounds [low, high) are known. Code outside of wide or exact bounds
 * is on another stack. Code inside of exact ones is on the thread's own; inside
 * of wide ones it may be on either.
 */
enum selfmon_stack {
	SELFMON_STACK_GUESSED, /* plausible, nobody was asked */
	SELFMON_STACK_WIDE,    /* [0, INT64_MAX): nothing is known */
	SELFMON_STACK_EXACT,
};

/*
 * Bounds of the calling thread's own stack; here: an address on the stack that
 * it runs on now. Guessed where here is near the end of a thread's own stack:
 * that costs one system call.
 *
 * Async-signal-safe, without malloc(3): a thread's first visit may be in a
 * handler that interrupted it. Signals should be blocked, see mapping.h.
 */
enum selfmon_stack selfmon_stack_guess(uint64_t here, uint64_t *low,
				       uint64_t *high);

/* The same, never guessed: a few system calls, or a read of the maps. */
enum selfmon_stack selfmon_stack_find(uint64_t here, uint64_t *low,
				      uint64_t *high);

/*
 * Moves *low down if the stack with this end is the main thread's, and its
 * limit was raised or it reaches down to this address. As above.
 */
void selfmon_stack_grow(uint64_t address, uint64_t *low, uint64_t high);

/* Does one of two addresses, and not the other, lie in sigaltstack(2)'s? */
bool selfmon_stack_alternates(uint64_t a, uint64_t b);

#endif
