/* SPDX-License-Identifier: MIT */
/*
 * Two snapshots become a difference with a verdict.
 *
 * Was the group on the PMU all the time? Time enabled less time running of
 * the leader does not move while it is, in the raw words of the page too. If
 * it moved, what share of the time was lost is off / enabled, where enabled
 * is brought up to the moment of each snapshot: the page's word plus the
 * page clock (kernel perf_event_mmap_page, "time_offset"), or read(2)'s.
 */
#include <stddef.h>
#include <string.h>

#include "clock/clock.h"
#include "counters/set.h"

/* What snapshot.cpu holds where it is not known. */
#define CPU_UNKNOWN UINT32_MAX
/* Shares of the time off the PMU above which no estimate is made. */
#define OFF_PERCENT_MAX 50
#define OFF_PERCENT_MAX_SHORT 1
/* How far the times of read(2) may be from the timestamp beside it. */
#define LAP_SLACK_NS UINT64_C(1000000000)

__extension__ typedef unsigned __int128 u128;

/* Ticks where their counter has less than 64 bits and may have wrapped. */
static uint64_t elapsed(const struct selfmon_counters *set, uint64_t from,
			uint64_t to)
{
	return (to - from) & ~set->time_unused;
}

static uint64_t page_ns(const struct selfmon_counters *set, uint64_t ticks)
{
	return (uint64_t)(((u128)ticks * set->time_mult) >> set->time_shift);
}

/* Time enabled at a snapshot, live; false if it cannot be had. */
static bool enabled_live(const struct selfmon_counters *set,
			 const struct selfmon_snapshot *at, uint64_t *ns)
{
	uint64_t ticks;

	if (at->flags & SELFMON_SNAPSHOT_SLOW) {
		*ns = at->enabled_ns;
		return true;
	}
	if (!(set->flags & SELFMON_IMPL_SET_PAGE_CLOCK))
		return false;
	ticks = set->time_cycles + elapsed(set, set->time_cycles, at->ticks);
	*ns = at->enabled_ns + page_ns(set, ticks);
	return true;
}

/*
 * Between two snapshots the kernel may have begun a new lap of a counter of
 * less than 64 bits, and what it adds to the page's times jumps by a whole
 * one: then a thread would have run for longer than time went by.
 */
static bool is_lap(const struct selfmon_counters *set,
		   const struct selfmon_delta *delta)
{
	return set->time_unused &&
	       delta->enabled_ns / 2 > page_ns(set, delta->ticks) + LAP_SLACK_NS;
}

/*
 * For how long turns could be taken. Times of several threads add up, and a
 * rotation is of one: they are not taken for longer than went by.
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
 * Further groups share the PMU with the first one: a part of the time off it is
 * what all of them are to have.
 */
static bool is_too_long(const struct selfmon_counters *set,
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
 * On cores of several types a group is off the PMU while the thread is on those
 * of another: of that there is nothing to be guessed. The times on the PMU of
 * the groups of all types make the time of the thread; if not, then something
 * else took the counters, or there is no group for one type.
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
 * Without a page clock a user read cannot be weighed: this delta is lost, and
 * the next ones are read by read(2), which brings its times along. User reads
 * come back after this many deltas in which the group stayed on the PMU; twice
 * as many after each further loss, so that few deltas are ever lost.
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

static void come_back(struct selfmon_counters *set)
{
	if (++set->quiet < QUIET_FIRST << (set->lapses - 1) ||
	    set->flags & SELFMON_IMPL_SET_TAKEN)
		return;
	__atomic_and_fetch(&set->flags,
			   ~(SELFMON_IMPL_SET_SYSCALL |
			     SELFMON_IMPL_SET_AWHILE), __ATOMIC_RELAXED);
}

/* The group was off the PMU for a while: estimate, or refuse. */
static void weigh(struct selfmon_counters *set,
		  const struct selfmon_snapshot *a,
		  const struct selfmon_snapshot *b,
		  struct selfmon_delta *delta)
{
	const uint64_t off = b->off_ns - a->off_ns;
	struct selfmon_share share;
	uint64_t from, to;

	delta->flags |= SELFMON_DELTA_REFUSED;
	if (!enabled_live(set, a, &from) || !enabled_live(set, b, &to)) {
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
	if (is_lap(set, delta) || is_too_long(set, &share, delta->ticks))
		return;
	delta->flags &= ~SELFMON_DELTA_REFUSED;
	delta->flags |= SELFMON_DELTA_SCALED;
}

static uint64_t scale(uint64_t count, const struct selfmon_share *share)
{
	const uint64_t running = share->enabled_ns - share->off_ns;

	return (uint64_t)((u128)count * share->enabled_ns / running);
}

/*
 * The largest count of a user read that can be. What read(2) gave at both ends
 * was counted by the kernel, and around the reads as well, outside of the
 * timestamps: that only has to be a difference.
 */
static uint64_t possible(const struct selfmon_counters *set, uint64_t ticks,
			 bool by_kernel)
{
	const u128 bound = (u128)ticks * set->max_per_tick + SELFMON_POSSIBLE_SLACK;

	return by_kernel || bound > INT64_MAX ? INT64_MAX : (uint64_t)bound;
}

/* What holds for all members of one of the set's groups. */
struct group {
	uint64_t possible;
	bool hardware;
	bool lost;                    /* one of the snapshots has no values */
	bool refused, scaled;
	enum selfmon_verdict verdict; /* if there is nothing to be said */
	struct selfmon_share share;   /* if it is scaled */
	uint32_t more;                /* as in struct selfmon_value */
};

static struct group judge(const struct selfmon_counters *set,
			  const struct selfmon_snapshot *a,
			  const struct selfmon_snapshot *b,
			  const struct selfmon_delta *delta, bool hardware)
{
	const uint32_t any = a->flags | b->flags, both = a->flags & b->flags;
	const bool by_kernel = !hardware || both & SELFMON_SNAPSHOT_SLOW;

	return (struct group){
		.possible = possible(set, delta->ticks, by_kernel),
		.hardware = hardware,
		.lost = any & (hardware ? SELFMON_SNAPSHOT_LOST_USER
					: SELFMON_SNAPSHOT_LOST_REST),
		.refused = hardware && delta->flags & SELFMON_DELTA_REFUSED,
		.scaled = hardware && delta->flags & SELFMON_DELTA_SCALED,
		.verdict = !hardware || any & SELFMON_SNAPSHOT_SLOW
				   ? SELFMON_SYSCALL
				   : SELFMON_EXACT,
		.share = { delta->enabled_ns, delta->off_ns },
	};
}

/* A further group, which is always read by read(2). */
static struct group judge_more(const struct selfmon_counters *set,
			       const struct selfmon_snapshot *a,
			       const struct selfmon_snapshot *b,
			       const struct selfmon_delta *delta, uint32_t k)
{
	const struct selfmon_share *const share = &delta->more[k];
	const bool cores = set->flags & SELFMON_IMPL_SET_CORES;
	const bool lost = (a->flags | b->flags) &
			  (cores ? SELFMON_SNAPSHOT_LOST
				 : SELFMON_SNAPSHOT_LOST_REST);
	const bool refused =
		cores ? delta->flags & SELFMON_DELTA_REFUSED
		      : !lost && share->off_ns &&
				is_too_long(set, share, delta->ticks);

	return (struct group){
		.possible = INT64_MAX,
		.lost = lost,
		.refused = refused,
		.scaled = !cores && !lost && share->off_ns && !refused,
		.verdict = SELFMON_SYSCALL,
		.share = *share,
		.more = k + 1,
	};
}

/* A value of which there is something to be said. */
static struct selfmon_value subtract_odd(const struct group *group,
					 uint64_t a, uint64_t b,
					 unsigned int shift,
					 struct selfmon_delta *delta)
{
	struct selfmon_value value = { .verdict = SELFMON_NOT_COUNTED,
				       .more = group->more };
	bool repaired;
	uint64_t count;

	if (group->lost)
		return value;
	count = selfmon_page_delta(a, b, shift, &repaired);
	if (repaired)
		delta->flags |= SELFMON_DELTA_REPAIRED;
	if (count > group->possible) {
		delta->flags |= SELFMON_DELTA_IMPOSSIBLE;
		return value;
	}
	if (group->refused)
		return value;
	value.count = group->scaled ? scale(count, &group->share)
				    : count;
	value.verdict = group->scaled ? SELFMON_SCALED : group->verdict;
	return value;
}

/* Members [first, last): all of one group. */
static void subtract(const struct selfmon_counters *set,
		     const struct group *group,
		     const struct selfmon_snapshot *a,
		     const struct selfmon_snapshot *b, size_t first,
		     size_t last, struct selfmon_delta *delta)
{
	const bool odd = group->lost || group->refused || group->scaled;
	size_t i;

	for (i = first; i < last; i++) {
		const uint64_t count = b->value[i] - a->value[i];
		struct selfmon_value *const value = &delta->value[i];

		/* A negative difference is above all that is possible. */
		if (selfmon_unlikely(odd || count > group->possible)) {
			*value = subtract_odd(
				group, a->value[i], b->value[i],
				group->hardware ? set->shift[i] : 0, delta);
			continue;
		}
		value->count = count;
		value->verdict = group->verdict;
		value->more = group->more;
	}
}

/* Further groups, from the last to the first; where that one begins. */
static size_t subtract_more(const struct selfmon_counters *set,
			    const struct selfmon_snapshot *a,
			    const struct selfmon_snapshot *b,
			    struct selfmon_delta *delta)
{
	size_t last = set->count;
	struct group group;
	uint32_t k;

	for (k = set->more; k-- > 0;) {
		struct selfmon_share *const share = &delta->more[k];
		const size_t first = last - set->more_count[k];

		share->enabled_ns = b->more[k].enabled_ns -
				    a->more[k].enabled_ns;
		share->off_ns = b->more[k].off_ns - a->more[k].off_ns;
		if (!((a->flags | b->flags) & SELFMON_SNAPSHOT_LOST_REST)) {
			delta->all[1].enabled_ns += share->enabled_ns;
			delta->all[1].off_ns += share->off_ns;
		}
		group = judge_more(set, a, b, delta, k);
		subtract(set, &group, a, b, first, last, delta);
		if (group.scaled)
			delta->flags |= SELFMON_DELTA_MORE_SCALED;
		else
			*share = (struct selfmon_share){ 0, 0 };
		if (group.refused)
			delta->flags |= SELFMON_DELTA_REFUSED;
		last = first;
	}
	return last;
}

static void subtract_all(const struct selfmon_counters *set,
			 const struct selfmon_snapshot *a,
			 const struct selfmon_snapshot *b,
			 struct selfmon_delta *delta)
{
	const size_t hardware = set->hardware_count;
	struct group group;
	size_t last, i;

	if (hardware) {
		group = judge(set, a, b, delta, true);
		subtract(set, &group, a, b, 0, hardware, delta);
	}
	last = subtract_more(set, a, b, delta); /* may say refused, too */
	if (hardware < last) {
		group = judge(set, a, b, delta, false);
		subtract(set, &group, a, b, hardware, last, delta);
	}
	/* Dropped members, and in a forked child, whose set is wiped, all. */
	for (i = set->count; i < SELFMON_MAX_COUNTERS; i++) {
		delta->value[i].count = 0;
		delta->value[i].verdict = SELFMON_NOT_COUNTED;
		delta->value[i].more = 0;
	}
}

void selfmon_counters_delta(struct selfmon_counters *set,
			    const struct selfmon_snapshot *a,
			    const struct selfmon_snapshot *b,
			    struct selfmon_delta *delta)
{
	const uint32_t flags = a->flags | b->flags;

	delta->ticks = elapsed(set, a->ticks, b->ticks);
	delta->enabled_ns = 0;
	delta->off_ns = 0;
	memset(delta->all, 0, sizeof(delta->all));
	delta->moved = a->moved + b->moved;
	delta->flags = 0;
	if (a->lock != b->lock)
		delta->flags |= SELFMON_DELTA_DISTURBED;
	if (a->cpu != b->cpu && a->cpu != CPU_UNKNOWN && b->cpu != CPU_UNKNOWN)
		delta->flags |= SELFMON_DELTA_MIGRATED;
	if (flags & SELFMON_SNAPSHOT_SLOW)
		delta->flags |= SELFMON_DELTA_SLOW;
	if (flags & SELFMON_SNAPSHOT_LOST)
		delta->flags |= SELFMON_DELTA_LOST;
	if (a->off_ns != b->off_ns && !(flags & SELFMON_SNAPSHOT_LOST_USER))
		weigh(set, a, b, delta);
	else if (selfmon_unlikely(set->flags & SELFMON_IMPL_SET_AWHILE))
		come_back(set);
	subtract_all(set, a, b, delta);
}
