/* SPDX-License-Identifier: MIT */
/* The slow path of leave in threads without counters. */
#ifndef SELFMON_VISIT_LEAVE_RARE_H
#define SELFMON_VISIT_LEAVE_RARE_H

#include "store/state.h"

/*
 * Ends the newest visit, if the fast path cannot: the visit is the longest of
 * its node so far, ended on another CPU, may have counted units, or is longer
 * than a limit of its region; or the thread's ring has new records. The visit
 * may also be the shortest.
 */
void selfmon_leave_rare(struct selfmon_thread *thread,
			struct selfmon_visit *open, uint64_t ticks);

#endif
