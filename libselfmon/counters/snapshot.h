/* SPDX-License-Identifier: MIT */
/* Snapshots by a call, for callers that need not be fast. */
#ifndef SELFMON_COUNTERS_SNAPSHOT_H
#define SELFMON_COUNTERS_SNAPSHOT_H

#include <selfmon/counters.h>

/*
 * Like selfmon_counters_begin() or, if end, selfmon_counters_end(). These are
 * inlined, with two copies of a user read.
 */
void selfmon_snapshot_take(const struct selfmon_counters *set,
			   struct selfmon_snapshot *snapshot, bool end);

/* The same, without a further call if the set is not read in user space. */
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
