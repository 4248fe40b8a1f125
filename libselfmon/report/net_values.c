/* SPDX-License-Identifier: MIT */
/*
 * Computes the values shown in a report from recorded ones: subtracts the
 * library's overhead.
 *
 * The values of a visit include the visit's own inner overhead, and the
 * overhead of the visits inside. A measured visit inside adds its inner and
 * outer overhead, and the additional overhead of its kind. An inner visit that
 * was only counted adds the overhead of counting it. If one visit in N is
 * measured, sums are first extrapolated to all visits. Then the overhead of all
 * visits is subtracted.
 */
#include "report/net_values.h"

#include <errno.h>
#include <stdlib.h>

#include "report/detail.h"
#include "report/model.h"
#include "report/order.h"
#include "report/overhead_of.h"
#include "report/row_facts.h"
#include "report/sampled.h"
#include "report/visit_times.h"
#include "store/calibration.h"
#include "store/name.h"
#include "store/statistics.h"

/*
 * The overhead of all visits below a row, for one quantity (time or a column).
 */
struct below {
	double usual;  /* inner and outer overhead of measured visits */
	double beyond; /* overhead of SELFMON_KIND_* and of units */
	double noise;
};

struct settle {
	struct selfmon_report *report;
	const struct selfmon_gather *gather;
	const struct selfmon_clock *clock;
	struct below *below;
};

static struct selfmon_quantity *quantity_of(struct selfmon_row *row,
					    int column)
{
	return column < 0 ? &row->time : &row->counter[column];
}

static uint64_t visits_with_value(const struct selfmon_gathered *from,
				  int column)
{
	if (column < 0)
		return selfmon_stats_visits(&from->stats);
	return selfmon_stats_visits(&from->stats) - from->stats.left_out[column];
}

static uint64_t ns_up(const struct selfmon_clock *clock, uint64_t ticks)
{
	const uint64_t ns = selfmon_clock_ns(clock, ticks);

	/* Rounds the maximum up, unless ticks are nanoseconds. */
	return ticks ? ns + (clock->source != SELFMON_CLOCK_GETTIME) : 0;
}

static enum selfmon_verdict verdict_of(const struct settle *settle,
				       const struct selfmon_gathered *from,
				       int column)
{
	if (visits_with_value(from, column) == 0)
		return SELFMON_NOT_COUNTED;
	if (column < 0)
		return SELFMON_EXACT;
	if (settle->report->column[column].verdict == SELFMON_EXACT &&
	    from->stats.rare[SELFMON_RARE_SCALED])
		return SELFMON_SCALED;
	/*
	 * The verdict is "by system call" only if all values were read by
	 * system call. If only some were, a note in the report says so.
	 */
	if (settle->report->column[column].verdict == SELFMON_EXACT &&
	    from->stats.rare[SELFMON_RARE_SLOW] >=
		    visits_with_value(from, column))
		return SELFMON_SYSCALL;
	return settle->report->column[column].verdict;
}

/*
 * Returns the share of the row's time for which the column's group was on the
 * PMU. Includes the time of visits without a value.
 */
static double share_on_pmu(const struct settle *settle,
			   const struct selfmon_stats *stats, int column)
{
	const uint32_t group = settle->report->column[column].group;
	const uint64_t off = stats->off_ticks[group >= SELFMON_GROUP_MORE];

	if (!off || group == SELFMON_GROUP_KERNEL ||
	    group == SELFMON_GROUP_NONE)
		return 1;
	return off < stats->ticks.sum
		       ? 1 - (double)off / (double)stats->ticks.sum
		       : 0;
}

/* Returns the share of the time for which the counts were extrapolated. */
static double guessed(const struct selfmon_stats *stats)
{
	if (!stats->scaled_enabled_ns)
		return 0;
	return (double)stats->scaled_off_ns / (double)stats->scaled_enabled_ns;
}

/* Stores the values without subtracting overhead, in ns or events. */
static void take_counted(const struct settle *settle, size_t i, int column)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const struct selfmon_sums *sums = selfmon_sampled_sums(from, column);
	struct selfmon_quantity *to =
		quantity_of(&settle->report->row[i], column);

	to->verdict = verdict_of(settle, from, column);
	if (to->verdict == SELFMON_NOT_COUNTED)
		return;
	to->visits = visits_with_value(from, column);
	to->share_on_pmu = 1;
	if (column >= 0) {
		to->sum = sums->sum;
		to->min = sums->min;
		to->max = sums->max;
		to->share_on_pmu = share_on_pmu(settle, &from->stats, column);
		if (to->verdict == SELFMON_SCALED)
			to->guessed = guessed(&from->stats);
		return;
	}
	to->sum = selfmon_clock_ns(settle->clock, sums->sum);
	to->min = selfmon_clock_ns(settle->clock, sums->min);
	to->max = ns_up(settle->clock, sums->max);
}

/*
 * Returns the part of the row's values that is overhead of the visits below it.
 */
static double overhead_below(const struct settle *settle, size_t i,
			     const struct selfmon_overhead *of)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const struct below *below = &settle->below[i];

	if (!settle->gather->every)
		return below->usual + below->beyond;
	return below->beyond +
	       selfmon_overhead_inside(of, &from->all.inside);
}

static double switched_in(const struct selfmon_gathered *from,
			  const struct selfmon_overhead *of, double *noise)
{
	const double ended = (double)selfmon_stats_visits(&from->stats);
	const double open = (double)from->open +
			    (double)from->stats.rare[SELFMON_RARE_CUT_OFF];

	return selfmon_overhead_switched(of, &from->stats,
					 ended / (ended + open), noise);
}

/*
 * Returns a sum minus overhead. `part` is the share of the measured visits that
 * have a value in the sum.
 */
static double net_of(const struct settle *settle, size_t i,
		     const struct selfmon_overhead *of, uint64_t sum, double part)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const double all = (double)selfmon_stats_visits(&from->stats) +
			   (double)selfmon_sampled_skipped(from);
	double noise;

	return of->unit * (double)sum * selfmon_sampled_factor(from, of->column) -
	       (all * of->inner + switched_in(from, of, &noise) +
		overhead_below(settle, i, of)) *
		       part;
}

static void take_net(const struct settle *settle, size_t i,
		     const struct selfmon_overhead *of)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const double measured = (double)selfmon_stats_visits(&from->stats);
	const double all = measured + (double)selfmon_sampled_skipped(from);
	struct selfmon_row *const row = &settle->report->row[i];
	struct selfmon_quantity *to = quantity_of(row, of->column);
	const uint64_t sum = selfmon_sampled_sums(from, of->column)->sum;
	double part, least, switched_noise;

	if (to->verdict == SELFMON_NOT_COUNTED)
		return;
	part = (double)to->visits / measured;
	to->net = net_of(settle, i, of, sum, part);
	switched_in(from, of, &switched_noise);
	to->noise = (all * of->inner_noise + switched_noise +
		     settle->below[i].noise) *
		    part;
	least = selfmon_overhead_noise(of, to->net, all * part);
	if (to->noise < least)
		to->noise = least;
	if (of->column >= 0)
		return;
	part = (double)row->whole / measured;
	row->whole_ns = net_of(settle, i, of, sum - from->stats.partial_ticks,
			       part);
}

/* Adds the overhead of row i and of all rows below it to the row's parent. */
static void pass_up(const struct settle *settle, size_t i,
		    const struct selfmon_overhead *of)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const double measured = (double)selfmon_stats_visits(&from->stats);
	const struct below *own = &settle->below[i];
	struct below *parent;

	if (from->parent < 0)
		return;
	parent = &settle->below[from->parent];
	parent->usual += own->usual + measured * (of->inner + of->outer);
	parent->beyond += own->beyond + selfmon_overhead_beyond(of, &from->stats);
	parent->noise += own->noise + measured * of->both_noise +
			 selfmon_overhead_beyond_noise(of, &from->stats);
}

/*
 * Extrapolates a sum of measured visits to all visits. With SELFMON_EVERY this
 * must be done before a row's children are subtracted: the measured visits of
 * the children need not be inside the measured visits of the parent.
 */
static int64_t of_all(const struct settle *settle, size_t i, uint64_t sum,
		      int column)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const double all = (double)sum * selfmon_sampled_factor(from, column);

	if (!selfmon_sampled_skipped(from))
		return sum < INT64_MAX ? (int64_t)sum : INT64_MAX;
	return all < SELFMON_WHOLE_MAX ? (int64_t)all : INT64_MAX;
}

/*
 * Adds with wrap-around: values in a damaged file may be too large, and signed
 * overflow is undefined.
 */
static void add_wrapping(int64_t *to, int64_t sign, int64_t value)
{
	*to = (int64_t)((uint64_t)*to + (uint64_t)sign * (uint64_t)value);
}

/*
 * Iterates from the last row to the first: children come after their parents,
 * so a row's children are complete when the row is reached.
 */
static void settle_quantity(const struct settle *settle,
			    const struct selfmon_overhead *of)
{
	struct selfmon_report *const report = settle->report;
	size_t i;

	for (i = 0; i < report->rows; i++) {
		settle->below[i] = (struct below){ 0, 0, 0 };
		take_counted(settle, i, of->column);
	}
	for (i = report->rows; i-- > 0;) {
		struct selfmon_quantity *own =
			quantity_of(&report->row[i], of->column);
		const int32_t parent = report->row[i].parent;
		int64_t all;

		take_net(settle, i, of);
		pass_up(settle, i, of);
		all = of_all(settle, i, own->sum, of->column);
		add_wrapping(&own->exclusive, 1, all);
		own->net_exclusive += own->net;
		if (parent >= 0) {
			struct selfmon_quantity *around = quantity_of(
				&report->row[parent], of->column);

			add_wrapping(&around->exclusive, -1, all);
			around->net_exclusive -= own->net > 0 ? own->net : 0;
		}
	}
}

static void take_cost(struct selfmon_report *report,
		      const struct selfmon_calibration *calibration,
		      double ns_per_tick)
{
	size_t i;

	report->calibrated = calibration->done;
	report->inner_ns = calibration->inner.ticks * ns_per_tick;
	report->outer_ns = calibration->outer.ticks * ns_per_tick;
	report->inner_ns_spread = calibration->inner.ticks_spread * ns_per_tick;
	report->outer_ns_spread = calibration->outer.ticks_spread * ns_per_tick;
	for (i = 0; i < report->columns; i++) {
		report->inner[i] = calibration->inner.counter[i];
		report->outer[i] = calibration->outer.counter[i];
	}
}

static void settle_rows(struct settle *settle,
			const struct selfmon_calibration *calibration)
{
	struct selfmon_report *const report = settle->report;
	const double ns_per_tick = 1e9 / (double)settle->clock->hz;
	struct selfmon_overhead of =
		selfmon_overhead_of(calibration, -1, ns_per_tick);
	size_t i;
	int column;

	for (i = 0; i < report->rows; i++) {
		const struct selfmon_gathered *from = &settle->gather->row[i];

		selfmon_row_facts(
			&report->row[i], from,
			selfmon_gather_region(settle->gather, from->region));
		report->row[i].suspended_ns = selfmon_clock_ns(
			settle->clock,
			from->stats.rare[SELFMON_RARE_SUSPENDED_TICKS]);
	}
	settle_quantity(settle, &of);
	for (column = 0; column < (int)report->columns; column++) {
		of = selfmon_overhead_of(calibration, column, ns_per_tick);
		settle_quantity(settle, &of);
	}
	for (i = 0; i < report->rows; i++) {
		if (report->row[i].parent < 0 && report->row[i].time.net > 0)
			report->total_ns += report->row[i].time.net;
	}
	selfmon_row_judge_self(report, settle->gather);
	take_cost(report, calibration, ns_per_tick);
}

int selfmon_report_settle_values(struct selfmon_report *report,
				 const struct selfmon_gather *gather,
				 const struct selfmon_calibration *calibration,
				 const struct selfmon_clock *clock)
{
	struct settle settle = {
		.report = report, .gather = gather, .clock = clock
	};

	report->too_deep = gather->too_deep;
	report->unready = gather->unready;
	report->displaced = gather->displaced;
	report->evicted = gather->evicted;
	report->uncounted = gather->uncounted;
	report->unread = gather->unread;
	report->rows = gather->rows;
	if (!gather->rows)
		return 0;
	report->row = calloc(gather->rows, sizeof(*report->row));
	settle.below = calloc(gather->rows, sizeof(*settle.below));
	if (!report->row || !settle.below) {
		free(settle.below);
		return -ENOMEM;
	}
	settle_rows(&settle, calibration);
	free(settle.below);
	if (selfmon_report_detail(report, gather, clock) ||
	    selfmon_report_visit_times(report))
		return -ENOMEM;
	return 0;
}

int selfmon_report_settle(struct selfmon_report *report,
			  const struct selfmon_gather *gather,
			  const struct selfmon_calibration *calibration,
			  const struct selfmon_clock *clock)
{
	const int error = selfmon_report_settle_values(report, gather,
						       calibration, clock);

	return error || !report->rows ? error : selfmon_report_order(report);
}
