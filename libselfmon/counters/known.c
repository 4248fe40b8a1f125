/* SPDX-License-Identifier: MIT */
/*
 * What the pages of a set say, kept with the values of their locks at which
 * they say it. For visits that only look whether a lock still has that value.
 */
#include "counters/set.h"

/* Locks are even whenever their own thread runs. */
static void forget(struct selfmon_known *known)
{
	selfmon_store_once(&known->lock, 1);
	selfmon_compiler_fence();
}

/* The leader's, for what is not the same at a visit's end. */
static void keep_times(struct selfmon_set *set, uint32_t lock)
{
	const struct selfmon_page *const leader = set->head.page[0];
	const uint64_t enabled = selfmon_load_once(&leader->time_enabled);

	set->known_times = (struct selfmon_snapshot){
		.cpu = selfmon_load_once(set->head.cpu),
		.lock = lock,
		.off_ns = enabled - selfmon_load_once(&leader->time_running),
		.enabled_ns = enabled + selfmon_load_once(&leader->time_offset),
	};
}

/* False: the lock moved meanwhile. */
static bool keep_member(struct selfmon_set *set, unsigned int i)
{
	const struct selfmon_page *const page = set->head.page[i];
	struct selfmon_known *const known = &set->known[i];
	const uint32_t lock = selfmon_load_once(&page->lock);
	uint32_t index;

	selfmon_compiler_fence(); /* as in selfmon_page_try() */
	index = selfmon_load_once(&page->index);
	/* Read before it is looked whether it is known: always one there is. */
	if (selfmon_page_owns(page, index))
		known->counter = index - 1;
	known->offset = (uint64_t)selfmon_load_once(&page->offset);
	/* Sign extension of a clean register is (raw ^ sign) - sign. */
	if (SELFMON_ARCH_RAW_IS_CLEAN)
		known->offset -= set->head.sign;
	if (i == 0)
		keep_times(set, lock);
	selfmon_compiler_fence();
	if (selfmon_load_once(&page->lock) != lock)
		return false;
	if (selfmon_page_owns(page, index))
		selfmon_store_once(&known->lock, lock);
	return true;
}

static bool is_known(const struct selfmon_known *known)
{
	return !(selfmon_load_once(&known->lock) & 1);
}

bool selfmon_set_keep(struct selfmon_set *set)
{
	bool all = true;
	unsigned int i;
	int tries;

	for (i = 0; i < set->head.hardware_count; i++) {
		forget(&set->known[i]);
		for (tries = 0; tries < SELFMON_PAGE_TRIES; tries++)
			if (set->head.flags & SELFMON_IMPL_SET_SYSCALL ||
			    keep_member(set, i))
				break;
		all = all && is_known(&set->known[i]);
	}
	return all;
}
