/* SPDX-License-Identifier: MIT */
/* Saves and restores the units of a fiber's visits. */
#ifndef SELFMON_VISIT_FIBER_UNITS_H
#define SELFMON_VISIT_FIBER_UNITS_H

#include "store/fiber.h"

/*
 * Copies the units that an open visit has counted so far. Does not clear them
 * in the node.
 */
void selfmon_fiber_keep_units(struct selfmon_thread *thread,
			      struct selfmon_fiber *fiber,
			      const struct selfmon_visit *open,
			      struct selfmon_suspended *kept);
void selfmon_fiber_resume_units(struct selfmon_thread *thread,
				struct selfmon_node *node,
				const struct selfmon_suspended *kept);

#endif
