/* SPDX-License-Identifier: MIT */
/* Where the calling thread's own stack lies. */
#ifndef SELFMON_PLATFORM_STACK_H
#define SELFMON_PLATFORM_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Bounds of the calling thread's stack, [low, high). False: not known. */
bool selfmon_stack_bounds(uint64_t *low, uint64_t *high);

/*
 * Of a stack that ends there: lower bound anew, if it is the main thread's and
 * RLIMIT_STACK was raised. Async-signal-safe.
 */
void selfmon_stack_grown(uint64_t *low, uint64_t high);

#endif
