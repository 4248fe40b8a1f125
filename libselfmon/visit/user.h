/* SPDX-License-Identifier: MIT */
/* The two ends of a visit whose counters are all read in user space. */
#ifndef SELFMON_VISIT_USER_H
#define SELFMON_VISIT_USER_H

#include "store/state.h"

void selfmon_enter_user(struct selfmon_site *site, struct selfmon_frame *frame,
			uint64_t address, struct selfmon_thread *thread);
void selfmon_enter_user_span(struct selfmon_site *site,
			     struct selfmon_frame *frame, uint64_t address,
			     struct selfmon_thread *thread);
void selfmon_leave_user(struct selfmon_frame *frame,
			struct selfmon_thread *thread);

#endif
