/* SPDX-License-Identifier: MIT */
/* The start of a visit whose counters are all read in user space. */
#ifndef SELFMON_VISIT_USER_START_H
#define SELFMON_VISIT_USER_START_H

#include "store/state.h"

void selfmon_start_user(struct selfmon_visit *open,
			const struct selfmon_counters *head);

#endif
