/* SPDX-License-Identifier: MIT */
/*
 * Saves and restores the units that a fiber's visit has counted so far. They
 * are stored in the visit's node, which other visits use while the fiber is
 * suspended.
 */
#include "visit/fiber_units.h"

#include <string.h>

#include "store/self.h"
#include "store/work.h"

void selfmon_fiber_keep_units(struct selfmon_thread *thread,
			      struct selfmon_fiber *fiber,
			      const struct selfmon_visit *open,
			      struct selfmon_suspended *kept)
{
	struct selfmon_work *work;
	struct selfmon_signals signals;

	if (kept->units)
		memset(kept->units, 0,
		       SELFMON_MAX_UNITS * sizeof(*kept->units));
	for (work = open->node->stats->work; work; work = work->next) {
		if (!work->open)
			continue;
		if (!kept->units) {
			selfmon_thread_busy(thread, &signals);
			kept->units = selfmon_fiber_units();
			selfmon_thread_idle(thread, &signals);
			fiber->units |= kept->units != NULL;
		}
		if (kept->units)
			kept->units[work->unit] = work->open;
		else
			selfmon_arch_add(&thread->record->uncounted, 1);
	}
}

void selfmon_fiber_resume_units(struct selfmon_thread *thread,
				struct selfmon_node *node,
				const struct selfmon_suspended *kept)
{
	struct selfmon_signals signals;
	struct selfmon_work *work;
	uint32_t unit;

	for (unit = 0; unit < SELFMON_MAX_UNITS; unit++) {
		if (!kept->units[unit])
			continue;
		work = selfmon_work_of(node, unit);
		if (!work) {
			selfmon_thread_busy(thread, &signals);
			work = selfmon_work_make(thread, node, unit);
			selfmon_thread_idle(thread, &signals);
		}
		if (work)
			selfmon_store_once(&work->open, kept->units[unit]);
		else
			selfmon_arch_add(&thread->record->uncounted, 1);
		selfmon_store_once(&node->stats->unusual, 0);
	}
}
