/* SPDX-License-Identifier: MIT */
/* Records visits that the code in visit/ does not record itself. */
#include "store/stats.h"

#include "counters/estimate.h"
#include "store/limits.h"
#include "store/process.h"
#include "store/self.h"
#include "store/state.h"
#include "store/statistics.h"
#include "store/work.h"

void selfmon_stats_init(struct selfmon_stats *stats)
{
	size_t i;

	stats->last = SELFMON_BUCKET_NONE;
	stats->ticks.min = UINT64_MAX;
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		stats->counter[i].min = UINT64_MAX;
}

static const struct {
	uint32_t flag;
	enum selfmon_rare rare;
} rare_of[] = {
	{ SELFMON_DELTA_DISTURBED, SELFMON_RARE_DISTURBED },
	{ SELFMON_DELTA_SLOW, SELFMON_RARE_SLOW },
	{ SELFMON_DELTA_REPAIRED, SELFMON_RARE_REPAIRED },
	{ SELFMON_DELTA_IMPOSSIBLE, SELFMON_RARE_IMPOSSIBLE },
	{ SELFMON_DELTA_SCALED, SELFMON_RARE_SCALED },
	{ SELFMON_DELTA_REFUSED, SELFMON_RARE_REFUSED },
	{ SELFMON_DELTA_LOST, SELFMON_RARE_LOST },
};

static void add_flags(struct selfmon_stats *stats,
		      const struct selfmon_delta *delta)
{
	uint32_t flags = delta->flags;
	size_t i;

	/*
	 * If the hardware values are refused, none of them is recorded. So the
	 * visit is not counted as one with values from read(2).
	 */
	if (flags & SELFMON_DELTA_REFUSED &&
	    delta->value[0].verdict == SELFMON_NOT_COUNTED)
		flags &= ~SELFMON_DELTA_SLOW;
	for (i = 0; i < sizeof(rare_of) / sizeof(rare_of[0]); i++)
		if (flags & rare_of[i].flag)
			selfmon_rare_add(stats, rare_of[i].rare, 1);
	selfmon_rare_add(stats, SELFMON_RARE_MOVED, delta->moved);
}

/* Returns false if any value is missing. */
static bool add_values(const struct selfmon_thread *thread,
		       struct selfmon_stats *stats,
		       const struct selfmon_delta *delta)
{
	const size_t count = thread->set ? thread->set->count : 0;
	uint32_t missing = thread->missing;
	bool whole = !missing;
	size_t i;

	for (i = 0; i < count; i++) {
		const unsigned int column = thread->column[i];

		if (selfmon_likely(delta->value[i].verdict !=
				   SELFMON_NOT_COUNTED)) {
			selfmon_sums_add(&stats->counter[column],
					 delta->value[i].count);
		} else {
			selfmon_arch_add(&stats->left_out[column], 1);
			whole = false;
		}
	}
	for (; missing; missing &= missing - 1)
		selfmon_arch_add(&stats->left_out[__builtin_ctz(missing)], 1);
	return whole;
}

/* Counts the visit as partial: ratios must exclude visits that lack a value. */
static void add_partial(struct selfmon_stats *stats, uint64_t ticks)
{
	selfmon_arch_add(&stats->partial, 1);
	selfmon_arch_add(&stats->partial_ticks, ticks);
}

/*
 * Sets `unusual` so that visits no longer than the maximum take the fast path
 * again, unless they need an entry in the recorder.
 */
__attribute__((noinline)) static void expect_visits(struct selfmon_stats *stats)
{
	const uint64_t most = stats->ticks.max;

	if (selfmon_config()->record || selfmon_config()->traced ||
	    selfmon_config()->longer)
		selfmon_limits_restore(stats);
	else
		selfmon_store_once(&stats->unusual, most < SELFMON_TICKS_LONG
							    ? most + 1
							    : SELFMON_TICKS_LONG);
}

/*
 * Sets the limit from which times take the slow path of leave. Called after the
 * maximum is updated. The limit is the maximum plus one, or less, so that
 * shorter visits need no comparison with the maximum. With the limit 0 all
 * visits take the slow path, even those of 0 ticks that a coarse clock returns.
 * If the limit was 0, units may have been counted: adds them too.
 */
__attribute__((noinline)) static void set_unusual(struct selfmon_stats *stats)
{
	if (!selfmon_load_once(&stats->unusual))
		selfmon_stats_work(stats);
	else
		expect_visits(stats);
}

static inline void set_usual(struct selfmon_stats *stats, uint64_t ticks)
{
	if (selfmon_unlikely(ticks >= selfmon_load_once(&stats->unusual)))
		set_unusual(stats);
}

void selfmon_stats_work(struct selfmon_stats *stats)
{
	expect_visits(stats);
	selfmon_work_collect(stats);
}

/* Discards the units that the node's open visit has counted. */
void selfmon_stats_drop_units(struct selfmon_stats *stats)
{
	struct selfmon_work *work;

	for (work = stats->work; work; work = work->next)
		selfmon_store_once(&work->open, 0);
}

/* Returns 0 for negative ticks: the timestamp counters of two CPUs differ. */
static uint64_t sane_ticks(struct selfmon_stats *stats, uint64_t ticks)
{
	if (selfmon_likely((int64_t)ticks >= 0))
		return ticks;
	selfmon_rare_add(stats, SELFMON_RARE_IMPOSSIBLE, 1);
	return 0;
}

/*
 * Records a visit of any length that measured time alone. *mark is the mark of
 * its entry.
 */
void selfmon_stats_time(struct selfmon_stats *stats, uint64_t ticks,
			bool migrated, uint64_t *mark)
{
	ticks = sane_ticks(stats, ticks);
	selfmon_stats_begin(stats);
	selfmon_sums_add(&stats->ticks, ticks);
	set_usual(stats, ticks);
	if (migrated)
		selfmon_arch_add(&stats->migrated, 1);
	selfmon_histogram_add(stats, ticks);
	selfmon_mark_recorded(mark);
	selfmon_stats_end(stats);
}

/*
 * Updates a minimum. If a signal handler records in the same node between the
 * load and the store, its minimum must not be lost.
 */
static void set_least(uint64_t *least, uint64_t value)
{
	uint64_t seen = selfmon_load_once(least);

	while (value < seen &&
	       !__atomic_compare_exchange_n(least, &seen, value, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void set_most(uint64_t *most, uint64_t value)
{
	uint64_t seen = selfmon_load_once(most);

	while (value > seen &&
	       !__atomic_compare_exchange_n(most, &seen, value, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void selfmon_stats_span(struct selfmon_stats *stats, uint64_t ticks,
			uint64_t bytes, uint64_t items)
{
	ticks = sane_ticks(stats, ticks);
	selfmon_arch_add(&stats->ticks.sum, ticks);
	set_least(&stats->ticks.min, ticks);
	set_most(&stats->ticks.max, ticks);
	selfmon_arch_add(&stats->units[SELFMON_IMPL_BYTES], bytes);
	selfmon_arch_add(&stats->units[SELFMON_IMPL_ITEMS], items);
	set_usual(stats, ticks);
	selfmon_histogram_add(stats, ticks);
	selfmon_stats_count_span(stats);
}

/*
 * Adds the times from which the extrapolated share of the estimates is
 * computed. They are summed over all groups that are scaled, so the share is a
 * mean.
 */
static void add_scaled(struct selfmon_stats *stats,
		       const struct selfmon_counters *set,
		       const struct selfmon_delta *delta)
{
	uint64_t enabled = 0, off = 0;
	size_t k;

	if (delta->flags & SELFMON_DELTA_SCALED) {
		enabled = delta->enabled_ns;
		off = delta->off_ns;
	}
	for (k = 0; delta->flags & SELFMON_DELTA_MORE_SCALED && k < set->more;
	     k++) {
		enabled += delta->more[k].enabled_ns;
		off += delta->more[k].off_ns;
	}
	selfmon_arch_add(&stats->scaled_enabled_ns, enabled);
	selfmon_arch_add(&stats->scaled_off_ns, off);
}

/*
 * Adds the time during which each group was off the PMU, even if the group's
 * values are refused. This is the group's share of time off the PMU, multiplied
 * by the ticks of the visit: the group's own times include the system calls
 * that read it.
 */
static void add_off(struct selfmon_stats *stats,
		    const struct selfmon_delta *delta, uint64_t ticks)
{
	size_t k;

	for (k = 0; k < 2; k++) {
		const struct selfmon_share *const share = &delta->all[k];

		if (share->off_ns && share->off_ns <= share->enabled_ns)
			selfmon_arch_add(&stats->off_ticks[k],
					 (uint64_t)((double)ticks *
						    (double)share->off_ns /
						    (double)share->enabled_ns));
	}
}

/*
 * Records a visit whose set has only events without a counter of the PMU, in
 * one group, and whose snapshots have all values: read(2) returns the counts,
 * so their differences need no verdicts. Returns false, and does nothing, for
 * any other visit, or if the time or a difference is negative.
 */
bool selfmon_stats_counts(const struct selfmon_thread *thread,
			  struct selfmon_stats *stats,
			  const struct selfmon_snapshot *a,
			  const struct selfmon_snapshot *b, uint64_t *mark)
{
	const struct selfmon_counters *const set = thread->set;
	const uint64_t ticks = selfmon_elapsed(set, a->ticks, b->ticks);
	const size_t count = set->rest;
	uint64_t negative = ticks;
	size_t i;

	if (set->hardware_count || !count || thread->missing ||
	    a->flags | b->flags | b->moved | (a->lock ^ b->lock))
		return false;
	for (i = 0; i < count; i++)
		negative |= b->value[i] - a->value[i];
	if (selfmon_unlikely((int64_t)negative < 0))
		return false;
	selfmon_stats_begin(stats);
	selfmon_sums_add(&stats->ticks, ticks);
	set_usual(stats, ticks);
	for (i = 0; i < count; i++)
		selfmon_sums_add(&stats->counter[thread->column[i]],
				 b->value[i] - a->value[i]);
	if (selfmon_unlikely(selfmon_cpu_changed(a, b)))
		selfmon_arch_add(&stats->migrated, 1);
	selfmon_histogram_add(stats, ticks);
	selfmon_mark_recorded(mark);
	selfmon_stats_end(stats);
	return true;
}

/*
 * Records a visit with the values of the thread's counter set. If the thread
 * could not open its set, records the visit without values.
 */
void selfmon_stats_delta(const struct selfmon_thread *thread,
			 struct selfmon_stats *stats,
			 const struct selfmon_delta *delta, uint64_t *mark)
{
	const uint64_t ticks = sane_ticks(stats, delta->ticks);

	selfmon_stats_begin(stats);
	selfmon_sums_add(&stats->ticks, ticks);
	set_usual(stats, ticks);
	if (selfmon_unlikely(!add_values(thread, stats, delta)))
		add_partial(stats, ticks);
	if (selfmon_unlikely(delta->flags & (SELFMON_DELTA_SCALED |
					     SELFMON_DELTA_MORE_SCALED)))
		add_scaled(stats, thread->set, delta);
	if (selfmon_unlikely(delta->all[0].off_ns | delta->all[1].off_ns))
		add_off(stats, delta, ticks);
	if (selfmon_unlikely(delta->flags & SELFMON_DELTA_MIGRATED))
		selfmon_arch_add(&stats->migrated, 1);
	selfmon_histogram_add(stats, ticks);
	selfmon_mark_recorded(mark);
	selfmon_stats_end(stats);
	if (selfmon_unlikely(delta->flags || delta->moved))
		add_flags(stats, delta);
}
