/* SPDX-License-Identifier: MIT */
/* The two ends of a visit in any mode. */
#ifndef SELFMON_VISIT_ANY_H
#define SELFMON_VISIT_ANY_H

#include "store/state.h"

/* address: the canonical frame address, as in visit.c. */
void selfmon_enter_any(struct selfmon_site *site, struct selfmon_frame *frame,
		       bool span, uint64_t address);
void selfmon_leave_any(struct selfmon_frame *frame);

#endif
