/* SPDX-License-Identifier: MIT */
/*
 * Returns how long the newest open visit has lasted. Reads only data that enter
 * and leave store for other purposes, so they have no additional work.
 */
#include "store/self.h"
#include "visit/visit.h"

/*
 * Returns the newest entry with an open visit, or NULL. In a signal handler,
 * the entries above it may belong to an interrupted enter or leave.
 */
static const struct selfmon_visit *
visit_in_progress(const struct selfmon_thread *thread)
{
	const struct selfmon_visit *open = thread->top;

	if (!open || selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY)
		return NULL;
	for (; open > thread->open; open--)
		if (selfmon_entry_is_open(open))
			return open;
	return NULL;
}

uint64_t selfmon_impl_ticks(void)
{
	const struct selfmon_visit *const open =
		visit_in_progress(selfmon_thread_self());
	uint64_t start, now;

	if (!open)
		return 0;
	start = selfmon_load_once(&open->start.ticks);
	if (!start) /* only counted */
		return 0;
	now = selfmon_clock_ticks();
	return now > start ? now - start : 0;
}
