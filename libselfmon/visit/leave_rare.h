/* SPDX-License-Identifier: MIT */
/* Ends of visits with time alone that are not usual. */
#ifndef SELFMON_VISIT_LEAVE_RARE_H
#define SELFMON_VISIT_LEAVE_RARE_H

#include "store/state.h"

/*
 * Ends the newest visit: the longest or shortest of its place, one that ended on
 * another CPU or counted units, or one of the slowest of its region.
 */
void selfmon_leave_rare(struct selfmon_thread *thread,
			struct selfmon_visit *open, uint64_t ticks);

#endif
