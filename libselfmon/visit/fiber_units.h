/* SPDX-License-Identifier: MIT */
/* The units of a fiber's visits. */
#ifndef SELFMON_VISIT_FIBER_UNITS_H
#define SELFMON_VISIT_FIBER_UNITS_H

#include "store/fiber.h"

/* Copies what an open visit counted; the place is not changed. */
void selfmon_fiber_keep_units(struct selfmon_thread *thread,
			      struct selfmon_fiber *fiber,
			      const struct selfmon_visit *open,
			      struct selfmon_suspended *kept);
void selfmon_fiber_resume_units(struct selfmon_thread *thread,
				struct selfmon_node *node,
				const struct selfmon_suspended *kept);

#endif
