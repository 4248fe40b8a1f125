/* SPDX-License-Identifier: MIT */
#include "visit/longer.h"

#include "store/config.h"
#include "store/name.h"
#include "store/watch.h"

/*
 * Visits inside the program's function `longer`, or in a signal handler that
 * interrupts this function, are not reported.
 */
void selfmon_longer_report(struct selfmon_thread *thread,
			   const struct selfmon_due *due)
{
	const struct selfmon_region *const region =
		selfmon_name_of(due->node->region);
	const struct selfmon_config *const config = selfmon_config();
	struct selfmon_longer visit;

	if (!region || thread->reporting)
		return;
	visit = (struct selfmon_longer){
		.size = sizeof(visit),
		.name = region->site.name,
		.file = region->site.file,
		.line = region->site.line,
		.thread = thread->record->tid,
		.ns = selfmon_watch_ns(due->ticks),
		.limit_ns = selfmon_watch_limit_ns(due->limit),
		.begin = due->start,
		.end = due->end,
	};
	selfmon_store_once(&thread->reporting, true);
	selfmon_compiler_fence();
	config->longer(&visit, config->longer_context);
	selfmon_compiler_fence();
	selfmon_store_once(&thread->reporting, false);
}
