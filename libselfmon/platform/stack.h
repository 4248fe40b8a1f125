/* SPDX-License-Identifier: MIT */
/* Where the calling thread's own stack lies. */
#ifndef SELFMON_PLATFORM_STACK_H
#define SELFMON_PLATFORM_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Bounds of the calling thread's stack, [low, high). False: not known. */
bool selfmon_stack_bounds(uint64_t *low, uint64_t *high);

#endif
