/* SPDX-License-Identifier: MIT */
#include "counters/page_cache.h"

#include "counters/set.h"

/* Caches the leader's times, which the end of a visit needs. */
static void keep_times(const struct selfmon_counters *head,
		       struct selfmon_snapshot *times)
{
	const struct selfmon_page *const leader = head->page[0];
	const uint64_t enabled = selfmon_load_once(&leader->time_enabled);

	times->cpu = selfmon_load_once(head->cpu);
	times->lock = selfmon_load_once(&leader->lock);
	times->off_ns = enabled - selfmon_load_once(&leader->time_running);
	times->enabled_ns = enabled + selfmon_load_once(&leader->time_offset);
	times->flags = 0;
	times->moved = 0;
}

static bool keep_members(const struct selfmon_counters *head,
			 struct selfmon_page_cache *known,
			 struct selfmon_page_cache_rest *rest)
{
	unsigned int i;

	for (i = 0; i < head->hardware_count; i++) {
		const struct selfmon_page *const page = head->page[i];
		const uint32_t index = selfmon_load_once(&page->index);

		if (!selfmon_page_owns(page, index))
			return false;
		if (i < SELFMON_PAGE_CACHE_COUNTERS)
			known->counter[i] = index - 1;
		else
			rest->counter[i - SELFMON_PAGE_CACHE_COUNTERS] =
				index - 1;
		rest->offset[i] = (uint64_t)selfmon_load_once(&page->offset);
	}
	return true;
}

/*
 * If a signal handler jumps out of this function, the cache stays marked as
 * invalid. A page's lock is odd only while the kernel updates the page. Updates
 * interrupt this thread, except if another thread causes one by a system call
 * (see selfmon/page.h). So an odd sum means that another CPU is updating a
 * page, or that the guard has replaced the pages.
 */
bool selfmon_set_keep(const struct selfmon_set *set,
		      struct selfmon_page_cache *known,
		      struct selfmon_page_cache_rest *rest,
		      struct selfmon_snapshot *times)
{
	const struct selfmon_counters *const head = &set->head;
	int tries;

	selfmon_store_once(&known->locks, SELFMON_LOCKS_UNKNOWN);
	selfmon_compiler_fence();
	for (tries = 0; tries < SELFMON_PAGE_TRIES; tries++) {
		const unsigned int count = head->hardware_count;
		uint32_t locks;

		if (head->flags & SELFMON_IMPL_SET_SYSCALL)
			return false;
		locks = selfmon_set_locks(head, count);
		selfmon_compiler_fence(); /* as in selfmon_page_try() */
		if (!keep_members(head, known, rest))
			return false;
		keep_times(head, times);
		selfmon_compiler_fence();
		if (locks & 1 || selfmon_set_locks(head, count) != locks)
			continue;
		selfmon_store_once(&known->locks, locks);
		return true;
	}
	return false;
}
