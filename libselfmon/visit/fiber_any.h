/* SPDX-License-Identifier: MIT */
/* The general path of a switch to a fiber: any mode, any number of visits. */
#ifndef SELFMON_VISIT_FIBER_ANY_H
#define SELFMON_VISIT_FIBER_ANY_H

#include "store/fiber.h"

void selfmon_fiber_switch_any(struct selfmon_thread *thread,
			      struct selfmon_fiber *fiber);

/*
 * Adds the note "the program ..." to the report, at most once in each process.
 */
__attribute__((cold))
void selfmon_fiber_note(const char *what);

#endif
