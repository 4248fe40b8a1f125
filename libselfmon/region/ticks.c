/* SPDX-License-Identifier: MIT */
/*
 * How long the visit that is open has been going on. Reads what the two ends of
 * a visit keep, so that they have nothing to do for it.
 */
#include "region/visit.h"

/*
 * The newest entry that is filled in, and neither recorded nor left by another
 * thread: those that a handler finds half taken or half given back bear the odd
 * mark of their last use. NULL: none.
 */
static const struct selfmon_open *
visit_in_progress(const struct selfmon_thread *thread)
{
	const struct selfmon_open *open = thread->top;

	if (!open || selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY)
		return NULL;
	for (; open > thread->open; open--) {
		const uint64_t mark = selfmon_load_once(&open->mark);

		if (mark != SELFMON_MARK_LEFT && !(mark & SELFMON_MARK_RECORDED))
			return open;
	}
	return NULL;
}

uint64_t selfmon_impl_ticks(void)
{
	const struct selfmon_open *const open =
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
