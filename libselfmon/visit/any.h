/* SPDX-License-Identifier: MIT */
/* The two ends of a visit in any mode. */
#ifndef SELFMON_VISIT_ANY_H
#define SELFMON_VISIT_ANY_H

#include "store/state.h"

/* address: the canonical frame address, as in visit.c. */
void selfmon_enter_any(struct selfmon_site *site, struct selfmon_frame *frame,
		       bool span, uint64_t address);
void selfmon_leave_any(struct selfmon_frame *frame);

/* Counts a visit, or a span, that begins or ends while it cannot be measured.
 */
void selfmon_visit_not_measured(struct selfmon_thread *thread);
/* Counts a leave of a closed visit, or the end of a span begun before fork(2).
 */
void selfmon_visit_stale(void);

#endif
