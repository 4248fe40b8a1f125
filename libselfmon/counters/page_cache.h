/* SPDX-License-Identifier: MIT */
/*
 * Caches the contents of a set's pages together with the sum of their locks at
 * that time. Visits then only check that the sum is unchanged.
 */
#ifndef SELFMON_COUNTERS_PAGE_CACHE_H
#define SELFMON_COUNTERS_PAGE_CACHE_H

#include "counters/set.h"

/*
 * Caches the current contents of the pages. times receives the leader's part of
 * a snapshot. Returns false if a member has no counter, or if the set is read
 * by read(2).
 */
bool selfmon_set_keep(const struct selfmon_set *set,
		      struct selfmon_page_cache *known,
		      struct selfmon_page_cache_rest *rest,
		      struct selfmon_snapshot *times);

#endif
