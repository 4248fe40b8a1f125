/* SPDX-License-Identifier: MIT */
/* Estimates the values of groups that were off the PMU for some time. */
#ifndef SELFMON_COUNTERS_ESTIMATE_H
#define SELFMON_COUNTERS_ESTIMATE_H

#include "counters/set.h"
#include "platform/thread_cpu.h"

/*
 * A further flag of struct selfmon_snapshot. A start that was computed when
 * fibers were switched has it: enabled_ns is then invalid, so there are no
 * estimates.
 */
#define SELFMON_SNAPSHOT_UNTIMED 0x08u
_Static_assert(!(SELFMON_SNAPSHOT_UNTIMED &
		 (SELFMON_SNAPSHOT_SLOW | SELFMON_SNAPSHOT_LOST)),
	       "a flag of its own");

/*
 * Returns the ticks between two times, even if a clock counter of less than 64
 * bits wrapped once.
 */
static inline uint64_t selfmon_elapsed(const struct selfmon_counters *set,
				       uint64_t from, uint64_t to)
{
	return (to - from) & ~set->time_unused;
}

/*
 * Returns true if the snapshots were taken on different CPUs. Returns false if
 * one of the CPUs is unknown.
 */
static inline bool selfmon_cpu_changed(const struct selfmon_snapshot *a,
				       const struct selfmon_snapshot *b)
{
	return a->cpu != b->cpu && a->cpu != SELFMON_CPU_UNKNOWN &&
	       b->cpu != SELFMON_CPU_UNKNOWN;
}

/*
 * Sets *ns to the page clock at this time in ticks. Returns false if the set
 * has no page clock.
 */
bool selfmon_estimate_clock(const struct selfmon_counters *set, uint64_t ticks,
			    uint64_t *ns);
/*
 * Sets *ns to the time enabled at the snapshot. A snapshot by read(2) has this
 * time; for other snapshots the page clock is added. Returns false if the set
 * has no page clock then, or if the snapshot has SELFMON_SNAPSHOT_UNTIMED.
 */
bool selfmon_estimate_enabled(const struct selfmon_counters *set,
			      const struct selfmon_snapshot *at, uint64_t *ns);
/*
 * Call if the first group was off the PMU between two snapshots. Sets the
 * delta's times if they are known. Sets its flag for an estimate or for a
 * refused value; with several core types, sets no flag if the counts are valid.
 * If the times are unknown, the set is read by read(2) for a while.
 */
void selfmon_estimate(struct selfmon_counters *set,
		      const struct selfmon_snapshot *a,
		      const struct selfmon_snapshot *b,
		      struct selfmon_delta *delta);
/*
 * Call while SELFMON_IMPL_SET_AWHILE is set: a value was discarded, and read(2)
 * replaces user reads for a while. Each call counts one delta for which the
 * first group was on the PMU all the time. After enough such deltas, user reads
 * resume.
 */
void selfmon_estimate_none(struct selfmon_counters *set);
/*
 * Returns true if a group was off the PMU for too long, or if the set allows no
 * estimates.
 */
bool selfmon_estimate_refused(const struct selfmon_counters *set,
			      const struct selfmon_share *share,
			      uint64_t ticks);

#endif
