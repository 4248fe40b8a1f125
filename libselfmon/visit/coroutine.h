/* SPDX-License-Identifier: MIT */
/* Regions in coroutines. */
#ifndef SELFMON_VISIT_COROUTINE_H
#define SELFMON_VISIT_COROUTINE_H

#include <selfmon/site.h>

void selfmon_enter_coroutine(struct selfmon_site *site,
			     struct selfmon_frame *frame);
/* Ends the visit of a frame that has the tag SELFMON_FRAME_COROUTINE. */
void selfmon_leave_coroutine(struct selfmon_frame *frame);

#endif
