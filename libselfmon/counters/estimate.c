/* SPDX-License-Identifier: MIT */
/*
 * Decides whether the values of a group that was off the PMU for some time can
 * be estimated.
 *
 * The leader's time enabled minus its time running does not change while the
 * group is on the PMU. The same is true for time_enabled and time_running of
 * the mapped page. If the difference changed between two snapshots, its
 * increase is the time for which the group was off the PMU. The time enabled is
 * extrapolated to the time of each snapshot: it is the page's time_enabled plus
 * the page clock (kernel perf_event_mmap_page, "time_offset"), or comes from
 * read(2).
 */
#include "counters/estimate.h"

#include "clock/clock.h"

/*
 * Maximum percentage of time off the PMU for an estimate. The first value is
 * for a set with one group, the second for intervals shorter than one rotation.
 */
#define OFF_PERCENT_MAX 50
#define OFF_PERCENT_MAX_SHORT 1
/* Tolerance when the kernel's times are compared with the timestamps. */
#define LAP_SLACK_NS UINT64_C(1000000000)

__extension__ typedef unsigned __int128 u128;

static uint64_t page_ns(const struct selfmon_counters *set, uint64_t ticks)
{
	return (uint64_t)(((u128)ticks * set->time_mult) >> set->time_shift);
}

bool selfmon_estimate_clock(const struct selfmon_counters *set, uint64_t ticks,
			    uint64_t *ns)
{
	if (!(set->flags & SELFMON_IMPL_SET_PAGE_CLOCK))
		return false;
	ticks = set->time_cycles +
		selfmon_elapsed(set, set->time_cycles, ticks);
	*ns = page_ns(set, ticks);
	return true;
}

bool selfmon_estimate_enabled(const struct selfmon_counters *set,
			      const struct selfmon_snapshot *at, uint64_t *ns)
{
	uint64_t clock = 0;

	if (at->flags & SELFMON_SNAPSHOT_UNTIMED ||
	    (!(at->flags & SELFMON_SNAPSHOT_SLOW) &&
	     !selfmon_estimate_clock(set, at->ticks, &clock)))
		return false;
	*ns = at->enabled_ns + clock;
	return true;
}

/*
 * Returns true if the time enabled is far longer than the elapsed time: a clock
 * counter of less than 64 bits wrapped between the snapshots, and the kernel
 * added a whole wrap to the page's times.
 */
static bool is_lap(const struct selfmon_counters *set,
		   const struct selfmon_delta *delta)
{
	return set->time_unused &&
	       delta->enabled_ns / 2 >
		       page_ns(set, delta->ticks) + LAP_SLACK_NS;
}

/*
 * Returns the time in which the kernel could rotate groups, for a comparison
 * with the rotation period. For a set with several threads, share->enabled_ns
 * is the sum over all threads, but each thread rotates by its own time. For
 * these sets the result is at most the elapsed time, or 0 if the elapsed time
 * is unknown.
 */
static uint64_t turns_ns(const struct selfmon_counters *set,
			 const struct selfmon_share *share, uint64_t ticks)
{
	struct selfmon_clock clock;
	uint64_t ns;

	if (!(set->flags & SELFMON_IMPL_SET_THREADS))
		return share->enabled_ns;
	if (!selfmon_clock_without_wait(&clock))
		return 0;
	ns = selfmon_clock_ns(&clock, ticks);
	return ns < share->enabled_ns ? ns : share->enabled_ns;
}

/*
 * If there are further groups, all groups share the PMU, so each one, the first
 * included, is expected to be off the PMU for part of the time.
 */
bool selfmon_estimate_refused(const struct selfmon_counters *set,
			      const struct selfmon_share *share, uint64_t ticks)
{
	const uint64_t percent =
		turns_ns(set, share, ticks) < set->rotation_ns
			? OFF_PERCENT_MAX_SHORT
			: 100 - OFF_PERCENT_MAX / (1u + set->more);

	return share->enabled_ns == 0 || share->off_ns >= share->enabled_ns ||
	       set->flags & SELFMON_IMPL_SET_STRICT ||
	       (u128)share->off_ns * 100 > (u128)share->enabled_ns * percent;
}

/*
 * Returns true if the groups of all core types together were on the PMU for at
 * least 99 % of the thread's time. A group is off the PMU while the thread runs
 * on another core type; that time must not be extrapolated. If the sum is less
 * than the thread's time, other events took the counters, or one core type has
 * no group.
 */
static bool is_whole(const struct selfmon_counters *set,
		     const struct selfmon_snapshot *a,
		     const struct selfmon_snapshot *b,
		     const struct selfmon_delta *delta)
{
	uint64_t missing = delta->off_ns;
	uint32_t k;

	if ((a->flags | b->flags) & SELFMON_SNAPSHOT_LOST)
		return false;
	for (k = 0; k < set->more; k++) {
		missing -= b->more[k].enabled_ns - a->more[k].enabled_ns;
		missing += b->more[k].off_ns - a->more[k].off_ns;
	}
	return (int64_t)missing <=
	       (int64_t)(delta->enabled_ns / 100 * OFF_PERCENT_MAX_SHORT);
}

/*
 * Without a page clock, a value that was read in user space cannot be scaled.
 * If its group was off the PMU, the value is discarded, and the next deltas use
 * read(2), which returns the times. User reads resume after QUIET_FIRST deltas
 * with the group on the PMU all the time. This number doubles after each
 * further discarded value, so that few values are discarded.
 */
#define QUIET_FIRST 64u
#define LAPSES_MAX 20u

static void lapse(struct selfmon_counters *set)
{
	if (set->flags & SELFMON_IMPL_SET_SYSCALL)
		return;
	if (set->lapses < LAPSES_MAX)
		set->lapses++;
	set->quiet = 0;
	__atomic_or_fetch(&set->flags,
			  SELFMON_IMPL_SET_SYSCALL | SELFMON_IMPL_SET_AWHILE,
			  __ATOMIC_RELAXED);
}

void selfmon_estimate_none(struct selfmon_counters *set)
{
	if (++set->quiet < QUIET_FIRST << (set->lapses - 1) ||
	    set->flags & SELFMON_IMPL_SET_TAKEN)
		return;
	__atomic_and_fetch(
		&set->flags,
		~(SELFMON_IMPL_SET_SYSCALL | SELFMON_IMPL_SET_AWHILE),
		__ATOMIC_RELAXED);
}

void selfmon_estimate(struct selfmon_counters *set,
		      const struct selfmon_snapshot *a,
		      const struct selfmon_snapshot *b,
		      struct selfmon_delta *delta)
{
	const uint64_t off = b->off_ns - a->off_ns;
	struct selfmon_share share;
	uint64_t from, to;

	delta->flags |= SELFMON_DELTA_REFUSED;
	if (!selfmon_estimate_enabled(set, a, &from) ||
	    !selfmon_estimate_enabled(set, b, &to)) {
		lapse(set);
		return;
	}
	delta->off_ns = off;
	delta->enabled_ns = to - from;
	delta->all[0] = (struct selfmon_share){ to - from, off };
	if (set->flags & SELFMON_IMPL_SET_CORES) {
		if (is_whole(set, a, b, delta))
			delta->flags &= ~SELFMON_DELTA_REFUSED;
		return;
	}
	share = (struct selfmon_share){ delta->enabled_ns, off };
	if (is_lap(set, delta) ||
	    selfmon_estimate_refused(set, &share, delta->ticks))
		return;
	delta->flags &= ~SELFMON_DELTA_REFUSED;
	delta->flags |= SELFMON_DELTA_SCALED;
}
