/* SPDX-License-Identifier: MIT */
/*
 * Finds the bounds of the calling thread's own stack and of its signal stack.
 */
#ifndef SELFMON_PLATFORM_STACK_H
#define SELFMON_PLATFORM_STACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reliability of the bounds [low, high). Outside of wide or exact bounds, code
 * is on another stack. Inside of exact bounds, code is on the thread's own
 * stack. Inside of wide bounds, code may be on any stack.
 */
enum selfmon_stack {
	SELFMON_STACK_GUESSED, /* plausible, not verified */
	SELFMON_STACK_WIDE,    /* perhaps too large; [0, INT64_MAX) if unknown */
	SELFMON_STACK_EXACT,
};

/*
 * Returns the bounds of the calling thread's own stack. `here` is an address on
 * the current stack. On the main stack, within RLIMIT_STACK, the bounds are
 * exact. Near the upper end of another stack, the lower bound is guessed. Both
 * take one system call.
 *
 * Async-signal-safe, and does not call malloc(3): a thread's first visit may be
 * in a handler that interrupted malloc. The caller must block signals, see
 * mapping.h.
 */
enum selfmon_stack selfmon_stack_guess(uint64_t here, uint64_t *low,
				       uint64_t *high);

/*
 * Like selfmon_stack_guess(), but never guesses. Takes some system calls, or
 * reads the list of mappings.
 */
enum selfmon_stack selfmon_stack_find(uint64_t here, uint64_t *low,
				      uint64_t *high);

/*
 * If the stack that ends at `high` is the main thread's: lowers *low if
 * RLIMIT_STACK was raised, or if the stack extends down to this address. The
 * caller must block signals, as above.
 */
void selfmon_stack_grow(uint64_t address, uint64_t *low, uint64_t high);

/*
 * Returns true if exactly one of the two addresses is on the stack of
 * sigaltstack(2).
 */
bool selfmon_stack_alternates(uint64_t a, uint64_t b);

#endif
