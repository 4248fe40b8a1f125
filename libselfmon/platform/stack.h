/* SPDX-License-Identifier: MIT */
/* Where the calling thread's own stack lies, and its stack for signals. */
#ifndef SELFMON_PLATFORM_STACK_H
#define SELFMON_PLATFORM_STACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Bounds of the calling thread's stack, [low, high). False: not known.
 * Async-signal-safe: a thread's first visit may be in a handler that
 * interrupted malloc(3).
 */
bool selfmon_stack_bounds(uint64_t *low, uint64_t *high);

/*
 * Of a stack that ends there: lower bound anew, if it is the main thread's and
 * RLIMIT_STACK was raised. Async-signal-safe.
 */
void selfmon_stack_grown(uint64_t *low, uint64_t high);

/* Does one of two addresses, and not the other, lie in sigaltstack(2)'s? */
bool selfmon_stack_alternates(uint64_t a, uint64_t b);

#endif
