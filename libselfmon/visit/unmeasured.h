/* SPDX-License-Identifier: MIT */
/* Counts visits and spans that cannot be measured. */
#ifndef SELFMON_VISIT_UNMEASURED_H
#define SELFMON_VISIT_UNMEASURED_H

#include "store/state.h"

/* Counts a visit or span that begins or ends while it cannot be measured. */
void selfmon_visit_not_measured(struct selfmon_thread *thread);

/*
 * Counts a leave of a visit that is already closed or belongs to another
 * thread, or a leave or end of a visit or span that began before fork(2).
 */
void selfmon_visit_stale(void);

#endif
