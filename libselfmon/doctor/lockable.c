/* SPDX-License-Identifier: MIT */
#include "doctor/lockable.h"

#include "doctor/cause_access.h"

/*
 * perf_mmap() in kernel/events/core.c charges each page first to the user's
 * perf_event_mlock_kb per CPU, then to RLIMIT_MEMLOCK.
 */
int64_t selfmon_lockable_pages(const struct selfmon_facts *facts, int64_t cpus,
			       int64_t page_size)
{
	const int64_t kb = facts->mlock_kb > 0 ? facts->mlock_kb : 0;

	if (selfmon_facts_hold(facts, SELFMON_CAP_IPC_LOCK) ||
	    facts->paranoid == -1 ||
	    facts->memlock >= SELFMON_LOCKABLE_UNLIMITED)
		return SELFMON_LOCKABLE_UNLIMITED;
	if (facts->mlock_kb == SELFMON_FACT_UNKNOWN)
		return SELFMON_FACT_UNKNOWN;
	return kb * 1024 / page_size * cpus +
	       (facts->memlock > 0 ? facts->memlock / page_size : 0);
}
