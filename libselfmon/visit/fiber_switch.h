/* SPDX-License-Identifier: MIT */
/* selfmon_fiber_switch() is declared in selfmon/fiber.h. */
#ifndef SELFMON_VISIT_FIBER_SWITCH_H
#define SELFMON_VISIT_FIBER_SWITCH_H

#include "store/fiber.h"

/*
 * Prepares the calling thread for fibers. Returns its state. Returns NULL if
 * the thread cannot measure, or if out of memory.
 */
__attribute__((cold))
struct selfmon_thread *selfmon_fiber_first(void);

#endif
