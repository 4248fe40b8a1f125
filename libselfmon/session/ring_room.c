/* SPDX-License-Identifier: MIT */
#include "session/ring_room.h"

#include "doctor/lockable.h"
#include "platform/facts.h"
#include "platform/kernel.h"

/* Returns the number of bytes that rings may lock; UINT64_MAX: no limit. */
static uint64_t most_bytes(const struct selfmon_process *process)
{
	struct selfmon_facts facts;
	int64_t pages;

	if (process->counted == 0)
		return UINT64_MAX;
	selfmon_facts_gather(&facts);
	pages = selfmon_lockable_pages(&facts, selfmon_kernel_cpus(),
				       (int64_t)selfmon_kernel_page_size());
	if (pages == SELFMON_FACT_UNKNOWN ||
	    pages >= SELFMON_LOCKABLE_UNLIMITED)
		return UINT64_MAX;
	return (uint64_t)pages / 2 * selfmon_kernel_page_size();
}

bool selfmon_ring_room_take(struct selfmon_process *process, uint64_t bytes)
{
	const uint64_t used = selfmon_load_once(&process->ring_bytes);

	if (!process->ring_bytes_max)
		process->ring_bytes_max = most_bytes(process);
	if (used > 0 && (process->ring_bytes_max < used ||
			 process->ring_bytes_max - used < bytes))
		return false;
	/* Atomic: threads return memory without the process lock. */
	__atomic_add_fetch(&process->ring_bytes, bytes, __ATOMIC_RELAXED);
	return true;
}

void selfmon_ring_room_return(struct selfmon_process *process, uint64_t bytes)
{
	__atomic_sub_fetch(&process->ring_bytes, bytes, __ATOMIC_RELAXED);
}
