/* SPDX-License-Identifier: MIT */
/* Visits and spans that leave no values: they are counted. */
#ifndef SELFMON_VISIT_UNMEASURED_H
#define SELFMON_VISIT_UNMEASURED_H

#include "store/state.h"

/* Counts a visit, or a span, that begins or ends while it cannot be measured. */
void selfmon_visit_not_measured(struct selfmon_thread *thread);

/* Counts a leave of a closed visit, or the end of a span begun before fork(2). */
void selfmon_visit_stale(void);

#endif
