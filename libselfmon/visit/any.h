/* SPDX-License-Identifier: MIT */
/* Enter and leave for the cases that the fast paths do not handle. */
#ifndef SELFMON_VISIT_ANY_H
#define SELFMON_VISIT_ANY_H

#include "store/state.h"

/*
 * address is the mark of a region's visit: the canonical frame address of
 * selfmon_impl_enter() or a similar function (see visit.c), or the stack
 * pointer of inlined code.
 */
void selfmon_enter_any(struct selfmon_site *site, struct selfmon_frame *frame,
		       bool span, uint64_t address);
void selfmon_leave_any(struct selfmon_frame *frame);

#endif
