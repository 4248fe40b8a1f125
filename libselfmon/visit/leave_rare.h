/* SPDX-License-Identifier: MIT */
/* Leave in threads without counters, for visits that are not usual. */
#ifndef SELFMON_VISIT_LEAVE_RARE_H
#define SELFMON_VISIT_LEAVE_RARE_H

#include "store/state.h"

/*
 * Ends the newest visit, which is not usual: it is the longest or shortest of
 * its node, ended on another CPU, counted units, or is one of the slowest of
 * its region.
 */
void selfmon_leave_rare(struct selfmon_thread *thread,
			struct selfmon_visit *open, uint64_t ticks);

#endif
