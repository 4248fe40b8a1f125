/* SPDX-License-Identifier: MIT */
/*
 * Ends of visits of user.c for which a difference of registers is not enough.
 */
#ifndef SELFMON_VISIT_RARE_H
#define SELFMON_VISIT_RARE_H

#include "store/state.h"

/* Reads the end again, on the slow path. */
void selfmon_leave_again(struct selfmon_visit *open);
/* count: the registers' differences; locks: the locks' sum meanwhile. */
void selfmon_leave_unusual(struct selfmon_visit *open, uint64_t ticks,
			   uint32_t locks, const uint64_t *count);

#endif
