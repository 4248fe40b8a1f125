/* SPDX-License-Identifier: MIT */
/*
 * Leave for threads that measure time alone and have a recorder
 * (SELFMON_RECORD, SELFMON_TRACE, or selfmon_options.longer).
 */
#ifndef SELFMON_VISIT_LEAVE_RECORDED_H
#define SELFMON_VISIT_LEAVE_RECORDED_H

#include "store/state.h"

/* Ends the newest visit, which has no counters. */
void selfmon_leave_recorded(struct selfmon_thread *thread,
			    struct selfmon_visit *open, uint64_t ticks);

#endif
