/* SPDX-License-Identifier: MIT */
/* Switches the calling thread to a fiber. */
#ifndef SELFMON_VISIT_FIBER_SWITCH_H
#define SELFMON_VISIT_FIBER_SWITCH_H

#include "store/fiber.h"

/*
 * Prepares the calling thread for fibers. Returns NULL if the thread cannot
 * measure.
 */
__attribute__((cold))
struct selfmon_thread *selfmon_fiber_first(void);

#endif
