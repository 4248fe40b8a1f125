/* SPDX-License-Identifier: MIT */
/* Takes snapshots by a function call, for code that need not be fast. */
#ifndef SELFMON_COUNTERS_SNAPSHOT_H
#define SELFMON_COUNTERS_SNAPSHOT_H

#include <selfmon/counters.h>

/*
 * Calls selfmon_counters_end() if `end` is true, else selfmon_counters_begin().
 * These two are inlined into this function, so that its callers do not contain
 * copies of the user read.
 */
void selfmon_snapshot_take(const struct selfmon_counters *set,
			   struct selfmon_snapshot *snapshot, bool end);

/*
 * Like selfmon_snapshot_take(). Calls the slow snapshot directly if the set is
 * not read in user space, which is the usual case here.
 */
static inline void selfmon_snapshot_own(const struct selfmon_counters *set,
					struct selfmon_snapshot *snapshot,
					bool end)
{
	if (selfmon_likely(set->flags & SELFMON_IMPL_SET_SLOW))
		selfmon_impl_snapshot_slow(set, snapshot, end);
	else
		selfmon_snapshot_take(set, snapshot, end);
}

#endif
