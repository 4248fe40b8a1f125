/* SPDX-License-Identifier: MIT */
/* What is recorded of a visit beyond the common case of visit.c. */
#include "region/process.h"

void selfmon_stats_init(struct selfmon_stats *stats)
{
	size_t i;

	stats->last = SELFMON_BUCKET_NONE;
	stats->ticks.min = UINT64_MAX;
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		stats->counter[i].min = UINT64_MAX;
}

/* Which rare happening a flag of a delta is. */
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

	/* A refused value did not come by read(2): there is none. */
	if (flags & SELFMON_DELTA_REFUSED &&
	    delta->value[0].verdict == SELFMON_NOT_COUNTED)
		flags &= ~SELFMON_DELTA_SLOW;
	for (i = 0; i < sizeof(rare_of) / sizeof(rare_of[0]); i++)
		if (flags & rare_of[i].flag)
			selfmon_rare_add(stats, rare_of[i].rare, 1);
	selfmon_rare_add(stats, SELFMON_RARE_MOVED, delta->moved);
}

/*
 * Values to their columns; columns that the set has not are left out. False:
 * some value was left out.
 */
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

/* A visit some of whose values are left out: what ratios must know of it. */
static void add_partial(struct selfmon_stats *stats, uint64_t ticks)
{
	selfmon_arch_add(&stats->partial, 1);
	selfmon_arch_add(&stats->partial_ticks, ticks);
}

/*
 * After the maximum, which is never less: shorter visits do not look at it.
 * One more than the time, so that at 0 none is usual: where a tick is long,
 * visits take none.
 */
static void set_usual(struct selfmon_stats *stats, uint64_t ticks)
{
	if (ticks >= stats->unusual && ticks < SELFMON_TICKS_LONG)
		selfmon_store_once(&stats->unusual, ticks + 1);
}

/*
 * The visit's work, as the program told it: with the visit, so that a reader
 * never finds the one without the other. Taken off, not set to 0: what a
 * handler adds in between waits for a later visit of this node.
 */
static void add_units(struct selfmon_stats *stats)
{
	size_t i;

	if (selfmon_likely(stats->unusual)) /* see selfmon_impl_units() */
		return;
	for (i = 0; i < SELFMON_UNITS; i++) {
		const uint64_t n = selfmon_load_once(&stats->units_open[i]);

		if (selfmon_likely(!n))
			continue;
		selfmon_arch_add(&stats->units_open[i], -n);
		selfmon_arch_add(&stats->units[i], n);
	}
	set_usual(stats, stats->ticks.max);
}

/* Of a visit that is not measured: nothing of it is. */
void selfmon_stats_drop_units(struct selfmon_stats *stats)
{
	size_t i;

	for (i = 0; i < SELFMON_UNITS; i++)
		selfmon_store_once(&stats->units_open[i], 0);
}

/* The open visit goes on at another place of the tree. */
void selfmon_stats_move_units(struct selfmon_stats *from,
			      struct selfmon_stats *to)
{
	size_t i;

	for (i = 0; from != to && i < SELFMON_UNITS; i++) {
		selfmon_arch_add(&to->units_open[i], from->units_open[i]);
		selfmon_store_once(&from->units_open[i], 0);
	}
	selfmon_store_once(&to->unusual, 0);
}

/* Ticks that went back: timestamp counters of two CPUs that differ. */
static uint64_t sane_ticks(struct selfmon_stats *stats, uint64_t ticks)
{
	if (selfmon_likely((int64_t)ticks >= 0))
		return ticks;
	selfmon_rare_add(stats, SELFMON_RARE_IMPOSSIBLE, 1);
	return 0;
}

/*
 * A visit of which only the time is known, of any length or none. The mark is
 * that of its entry.
 */
void selfmon_stats_time(struct selfmon_stats *stats, uint64_t ticks,
			bool migrated, uint64_t *mark)
{
	ticks = sane_ticks(stats, ticks);
	selfmon_stats_begin(stats);
	selfmon_sums_add(&stats->ticks, ticks);
	add_units(stats);
	set_usual(stats, ticks);
	if (migrated)
		selfmon_arch_add(&stats->migrated, 1);
	selfmon_histogram_add(stats, ticks);
	selfmon_mark_recorded(mark);
	selfmon_stats_end(stats);
}

/* How much of the estimates is guessed: the mean over all groups with any. */
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
 * How much of this visit was each group off the PMU? Also where its values are
 * refused. In ticks of the visit: reads by system call last, and are in the
 * group's own times.
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
 * A visit that another thread entered: its time alone. What is told of work
 * here is of another visit.
 */
void selfmon_stats_foreign(struct selfmon_stats *stats, uint64_t ticks)
{
	selfmon_rare_add(stats, SELFMON_RARE_FOREIGN, 1);
	ticks = sane_ticks(stats, ticks);
	selfmon_stats_begin(stats);
	selfmon_sums_add(&stats->ticks, ticks);
	add_partial(stats, ticks);
	selfmon_histogram_add(stats, ticks);
	selfmon_stats_end(stats);
}

/*
 * A whole visit, with the values of the thread's counter set; of a thread
 * that could not open its set, with none.
 */
void selfmon_stats_delta(const struct selfmon_thread *thread,
			 struct selfmon_stats *stats,
			 const struct selfmon_delta *delta, uint64_t *mark)
{
	const uint64_t ticks = sane_ticks(stats, delta->ticks);

	selfmon_stats_begin(stats);
	selfmon_sums_add(&stats->ticks, ticks);
	add_units(stats);
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

/* One value of the last of these visits may be in the sum or not. */
static void mend_sums(struct selfmon_sums *sums, uint64_t visits)
{
	if (visits == 1)
		sums->min = sums->max = sums->sum;
	else if (sums->sum < visits * sums->min)
		sums->sum = visits * sums->min;
	else if (sums->sum > visits * sums->max)
		sums->max = sums->sum - (visits - 1) * sums->min;
}

/*
 * An update that will never be finished: a signal handler jumped out of it.
 * The visit counts; which of its values came in is not known, and what can be
 * told from the sums is put right.
 */
void selfmon_stats_mend(struct selfmon_stats *stats)
{
	const uint64_t visits = selfmon_stats_visits(stats) + 1;
	size_t i;

	mend_sums(&stats->ticks, visits);
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		if (stats->counter[i].sum && visits > stats->left_out[i])
			mend_sums(&stats->counter[i],
				  visits - stats->left_out[i]);
	selfmon_rare_add(stats, SELFMON_RARE_REPAIRED, 1);
}
