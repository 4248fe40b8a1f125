/* SPDX-License-Identifier: MIT */
/* A thread's switch to a fiber. */
#ifndef SELFMON_VISIT_FIBER_SWITCH_H
#define SELFMON_VISIT_FIBER_SWITCH_H

#include "store/fiber.h"

/* Makes the calling thread able to run fibers; NULL: it cannot measure. */
__attribute__((cold))
struct selfmon_thread *selfmon_fiber_first(void);

/* For the report: "a fiber was ...". Once in a process. */
__attribute__((cold))
void selfmon_fiber_note(const char *what);

#endif
