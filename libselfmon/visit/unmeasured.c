/* SPDX-License-Identifier: MIT */
#include "visit/unmeasured.h"

#include "store/live.h"
#include "store/process.h"
#include "store/self.h"

void selfmon_visit_not_measured(struct selfmon_thread *thread)
{
	if (thread->record)
		__atomic_add_fetch(&thread->record->unready, 1,
				   __ATOMIC_RELAXED);
	else
		selfmon_thread_count_unready();
}

void selfmon_visit_stale(void)
{
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_live_counts *counts;

	if (process)
		__atomic_add_fetch(&process->stale, 1, __ATOMIC_RELAXED);
	counts = selfmon_live_counts(process);
	if (counts)
		__atomic_add_fetch(&counts->stale, 1, __ATOMIC_RELAXED);
}
