/* SPDX-License-Identifier: MIT */
/* Subtracts two snapshots, with a verdict for each value. */
#include <stddef.h>
#include <string.h>

#include "counters/estimate.h"
#include "counters/set.h"

__extension__ typedef unsigned __int128 u128;

static uint64_t scale(uint64_t count, const struct selfmon_share *share)
{
	const uint64_t running = share->enabled_ns - share->off_ns;

	return (uint64_t)((u128)count * share->enabled_ns / running);
}

/*
 * Returns the largest count that is possible in this time. If both ends were
 * read by read(2), the kernel also counts its own work around the timestamps,
 * so every non-negative difference is accepted.
 */
static uint64_t possible(const struct selfmon_counters *set, uint64_t ticks,
			 bool by_kernel)
{
	const u128 bound = (u128)ticks * set->max_per_tick + SELFMON_POSSIBLE_SLACK;

	return by_kernel || bound > INT64_MAX ? INT64_MAX : (uint64_t)bound;
}

struct group {
	uint64_t possible;
	bool hardware;
	bool lost;                    /* one of the snapshots has no values */
	bool refused, scaled;
	/* Verdict of possible values that are not lost, refused or scaled. */
	enum selfmon_verdict verdict;
	struct selfmon_share share;   /* valid if scaled is set */
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

/* Judges one of the further groups, which are always read by read(2). */
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
	const bool refused = cores ? delta->flags & SELFMON_DELTA_REFUSED
				   : !lost && share->off_ns &&
					     selfmon_estimate_refused(
						     set, share, delta->ticks);

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

/*
 * Subtracts a value that needs more than a plain difference of 64-bit counts: a
 * repair, a scale or a refusal.
 */
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

/* Subtracts members [first, last), which belong to one group. */
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

		/*
		 * As an unsigned number, a negative difference exceeds all
		 * bounds.
		 */
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

/*
 * Subtracts the further groups, from the last to the first. Returns the index
 * of their first member.
 */
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
	/*
	 * After the hardware members: judge() reads SELFMON_DELTA_REFUSED as a
	 * flag of the first group, and subtract_more() may set the flag for a
	 * further group.
	 */
	last = subtract_more(set, a, b, delta);
	if (hardware < last) {
		group = judge(set, a, b, delta, false);
		subtract(set, &group, a, b, hardware, last, delta);
	}
	/*
	 * Dropped members have no values. In a forked child no member has a
	 * value, since the set is wiped.
	 */
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

	delta->ticks = selfmon_elapsed(set, a->ticks, b->ticks);
	delta->enabled_ns = 0;
	delta->off_ns = 0;
	memset(delta->all, 0, sizeof(delta->all));
	delta->moved = a->moved + b->moved;
	delta->flags = 0;
	if (a->lock != b->lock)
		delta->flags |= SELFMON_DELTA_DISTURBED;
	if (selfmon_cpu_changed(a, b))
		delta->flags |= SELFMON_DELTA_MIGRATED;
	if (flags & SELFMON_SNAPSHOT_SLOW)
		delta->flags |= SELFMON_DELTA_SLOW;
	if (flags & SELFMON_SNAPSHOT_LOST)
		delta->flags |= SELFMON_DELTA_LOST;
	if (a->off_ns != b->off_ns && !(flags & SELFMON_SNAPSHOT_LOST_USER))
		selfmon_estimate(set, a, b, delta);
	else if (selfmon_unlikely(set->flags & SELFMON_IMPL_SET_AWHILE))
		selfmon_estimate_none(set);
	subtract_all(set, a, b, delta);
}
