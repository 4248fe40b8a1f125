/* SPDX-License-Identifier: MIT */
/*
 * Caches the contents of a set's pages together with the sum of the pages'
 * locks. A visit then only compares the sum to know that the cache is valid.
 */
#ifndef SELFMON_COUNTERS_PAGE_CACHE_H
#define SELFMON_COUNTERS_PAGE_CACHE_H

#include "counters/set.h"

/*
 * Caches the current contents of the pages. *times receives the leader's times,
 * as in a snapshot. Returns false if a member has no counter now, if the set is
 * read by read(2), or if the pages keep changing.
 */
bool selfmon_set_keep(const struct selfmon_set *set,
		      struct selfmon_page_cache *known,
		      struct selfmon_page_cache_rest *rest,
		      struct selfmon_snapshot *times);

#endif
