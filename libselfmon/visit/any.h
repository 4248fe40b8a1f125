/* SPDX-License-Identifier: MIT */
/* Enter and leave for the cases that the fast paths do not handle. */
#ifndef SELFMON_VISIT_ANY_H
#define SELFMON_VISIT_ANY_H

#include "store/state.h"

/*
 * address is the canonical frame address of the function that enters, see
 * visit.c.
 */
void selfmon_enter_any(struct selfmon_site *site, struct selfmon_frame *frame,
		       bool span, uint64_t address);
void selfmon_leave_any(struct selfmon_frame *frame);

#endif
