/* SPDX-License-Identifier: MIT */
/*
 * From what was recorded to what is read.
 *
 * The library's own cost. A visit's values hold its own inner cost, and of
 * each visit below it the inner and the outer cost (the outer one alone where
 * it was only counted). Where one visit in N is measured, what was measured
 * stands for all: sums are multiplied by visits / measured before the cost of
 * all visits is subtracted.
 */
#include <errno.h>
#include <stdlib.h>

#include "report/gather.h"
#include "report/model.h"

/* A quantity's own way from gathered to row: time, or column k. */
struct kind {
	int column; /* -1: time */
	double unit; /* what one recorded unit is: ns a tick, or 1 */
	double inner, inner_noise;
	double outer, outer_noise;
	double skipped;
};

/* Per row, while a quantity is settled: the cost of all that lies below. */
struct below {
	double cost, noise;
};

struct settle {
	struct selfmon_report *report;
	const struct selfmon_gather *gather;
	const struct selfmon_clock *clock;
	struct below *below;
};

static uint64_t skipped_of(const struct selfmon_gathered *from)
{
	return from->stats.rare[SELFMON_RARE_SKIPPED];
}

static const struct selfmon_sums *sums_of(const struct selfmon_gathered *from,
					  int column)
{
	return column < 0 ? &from->stats.ticks : &from->stats.counter[column];
}

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
	return selfmon_stats_visits(&from->stats) - from->stats.left_out[column] -
	       from->stats.rare[SELFMON_RARE_FOREIGN];
}

static uint64_t ns_up(const struct selfmon_clock *clock, uint64_t ticks)
{
	const uint64_t ns = selfmon_clock_ns(clock, ticks);

	/* One more than the floor, unless that was exact to the tick. */
	return ticks ? ns + (clock->source != SELFMON_CLOCK_GETTIME) : 0;
}

static enum selfmon_verdict verdict_of(const struct settle *settle,
				       const struct selfmon_gathered *from,
				       int column)
{
	if (visits_with_value(from, column) == 0 ||
	    selfmon_report_beyond(from, column, settle->clock))
		return SELFMON_NOT_COUNTED;
	if (column < 0)
		return SELFMON_EXACT;
	if (settle->report->column[column].verdict == SELFMON_EXACT &&
	    from->stats.rare[SELFMON_RARE_SCALED])
		return SELFMON_SCALED;
	/* None of them as it was meant; where it is some, a note tells. */
	if (settle->report->column[column].verdict == SELFMON_EXACT &&
	    from->stats.rare[SELFMON_RARE_SLOW] >=
		    visits_with_value(from, column))
		return SELFMON_SYSCALL;
	return settle->report->column[column].verdict;
}

static double share_on_pmu(const struct selfmon_stats *stats)
{
	if (!stats->scaled_enabled_ns)
		return 1;
	return 1 - (double)stats->scaled_off_ns /
			   (double)stats->scaled_enabled_ns;
}

/* The values as they were counted, in their unit. */
static void take_counted(const struct settle *settle, size_t i, int column)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const struct selfmon_sums *sums = sums_of(from, column);
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
		if (to->verdict == SELFMON_SCALED)
			to->share_on_pmu = share_on_pmu(&from->stats);
		return;
	}
	to->sum = selfmon_clock_ns(settle->clock, sums->sum);
	to->min = selfmon_clock_ns(settle->clock, sums->min);
	to->max = ns_up(settle->clock, sums->max);
}

/* A part of the measured visits: their sum, and the share of them it is. */
static double net_of(const struct settle *settle, size_t i,
		     const struct kind *kind, uint64_t sum, double part)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const double measured = (double)selfmon_stats_visits(&from->stats);
	const double all = measured + (double)skipped_of(from);

	return kind->unit * (double)sum * (all / measured) -
	       (all * kind->inner + settle->below[i].cost) * part;
}

static void take_net(const struct settle *settle, size_t i,
		     const struct kind *kind)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const double measured = (double)selfmon_stats_visits(&from->stats);
	const double all = measured + (double)skipped_of(from);
	struct selfmon_row *const row = &settle->report->row[i];
	struct selfmon_quantity *to = quantity_of(row, kind->column);
	const uint64_t sum = sums_of(from, kind->column)->sum;
	double part;

	if (to->verdict == SELFMON_NOT_COUNTED)
		return;
	part = (double)to->visits / measured;
	to->net = net_of(settle, i, kind, sum, part);
	to->noise = (all * kind->inner_noise + settle->below[i].noise) * part;
	if (kind->column >= 0)
		return;
	part = (double)row->whole / measured;
	row->whole_ns = net_of(settle, i, kind,
			       sum - from->stats.partial_ticks, part);
}

/* What row i and all below it cost its parent. */
static void pass_up(const struct settle *settle, size_t i,
		    const struct kind *kind)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const double measured = (double)selfmon_stats_visits(&from->stats);
	const double skipped = (double)skipped_of(from);
	const struct below *own = &settle->below[i];
	struct below *parent;

	if (from->parent < 0)
		return;
	parent = &settle->below[from->parent];
	parent->cost += own->cost + measured * (kind->inner + kind->outer) +
			skipped * kind->skipped;
	parent->noise += own->noise +
			 measured * (kind->inner_noise + kind->outer_noise);
}

/*
 * A sum of those visits that were measured, for all that they stand for: under
 * SELFMON_EVERY those of a parent and of its children are of other moments.
 */
static int64_t of_all(const struct settle *settle, size_t i, uint64_t sum)
{
	const struct selfmon_gathered *from = &settle->gather->row[i];
	const double measured = (double)selfmon_stats_visits(&from->stats);
	double all;

	if (!skipped_of(from) || measured <= 0)
		return (int64_t)sum;
	all = (double)sum * (1 + (double)skipped_of(from) / measured);
	return all < SELFMON_WHOLE_MAX ? (int64_t)all : INT64_MAX;
}

/* What a file claims may be more than there are numbers for: then it wraps. */
static void add_wrapping(int64_t *to, int64_t sign, int64_t value)
{
	*to = (int64_t)((uint64_t)*to + (uint64_t)sign * (uint64_t)value);
}

/* Children come after their parents: from the last row to the first. */
static void settle_quantity(const struct settle *settle,
			    const struct kind *kind)
{
	struct selfmon_report *const report = settle->report;
	size_t i;

	for (i = 0; i < report->rows; i++) {
		settle->below[i].cost = settle->below[i].noise = 0;
		take_counted(settle, i, kind->column);
	}
	for (i = report->rows; i-- > 0;) {
		struct selfmon_quantity *own =
			quantity_of(&report->row[i], kind->column);
		const int32_t parent = report->row[i].parent;

		take_net(settle, i, kind);
		pass_up(settle, i, kind);
		add_wrapping(&own->exclusive, 1, of_all(settle, i, own->sum));
		own->net_exclusive += own->net;
		if (parent >= 0) {
			struct selfmon_quantity *of = quantity_of(
				&report->row[parent], kind->column);

			add_wrapping(&of->exclusive, -1,
				     of_all(settle, i, own->sum));
			of->net_exclusive -= own->net > 0 ? own->net : 0;
		}
	}
}

static uint64_t quantile_ns(const struct settle *settle, size_t i,
			    unsigned int percent)
{
	const struct selfmon_stats *stats = &settle->gather->row[i].stats;
	const struct selfmon_quantity *time = &settle->report->row[i].time;
	const double per_tick = 1e9 / (double)settle->clock->hz;
	double ns;

	if (time->verdict == SELFMON_NOT_COUNTED)
		return 0;
	ns = per_tick * selfmon_gather_quantile(stats, percent);
	ns = ns < (double)time->min ? (double)time->min : ns;
	ns = ns > (double)time->max ? (double)time->max : ns;
	ns -= settle->report->row[i].own_ns;
	return ns > 0 && ns < SELFMON_WHOLE_MAX ? (uint64_t)ns : 0;
}

/* What was subtracted, spread over the visits. */
static double own_ns(const struct selfmon_row *row)
{
	if (row->time.verdict == SELFMON_NOT_COUNTED)
		return 0;
	return (double)row->time.sum / (double)row->measured -
	       row->time.net / (double)row->visits;
}

static void take_facts(struct selfmon_row *row,
		       const struct selfmon_gathered *from,
		       const struct selfmon_region *region)
{
	const uint64_t *rare = from->stats.rare;

	row->name = region->site.name;
	row->file = region->site.file;
	row->line = region->site.line;
	row->parent = from->parent;
	row->threads = from->threads;
	row->measured = selfmon_stats_visits(&from->stats);
	row->visits = row->measured + rare[SELFMON_RARE_SKIPPED];
	row->whole = row->measured - from->stats.partial;
	row->bytes = from->stats.units[SELFMON_IMPL_BYTES];
	row->items = from->stats.units[SELFMON_IMPL_ITEMS];
	row->open = from->open;
	row->cut_off = rare[SELFMON_RARE_CUT_OFF];
	row->foreign = rare[SELFMON_RARE_FOREIGN];
	row->migrated = from->stats.migrated;
	row->disturbed = rare[SELFMON_RARE_DISTURBED];
	row->retried = rare[SELFMON_RARE_MOVED];
	row->slow = rare[SELFMON_RARE_SLOW];
	row->repaired = rare[SELFMON_RARE_REPAIRED];
	row->impossible = rare[SELFMON_RARE_IMPOSSIBLE];
	row->refused = rare[SELFMON_RARE_REFUSED];
	row->lost = rare[SELFMON_RARE_LOST];
	row->overlapped = rare[SELFMON_RARE_OVERLAPPED];
	row->switched = rare[SELFMON_RARE_STACK];
}

/*
 * Inclusive less the children's is the region's own only if every visit of
 * both has ended, in order, and has left its values.
 */
static void judge_exclusive(struct selfmon_report *report)
{
	size_t i;

	for (i = 0; i < report->rows; i++) {
		struct selfmon_row *row = &report->row[i];

		row->exclusive_valid =
			!row->open && !row->cut_off && !row->overlapped &&
			!row->switched;
	}
	for (i = 0; i < report->rows; i++)
		if ((report->row[i].open || report->row[i].switched) &&
		    report->row[i].parent >= 0)
			report->row[report->row[i].parent].exclusive_valid =
				false;
}

static struct kind kind_of(const struct selfmon_calibration *calibration,
			   int column, double unit)
{
	const struct selfmon_cost *inner = &calibration->inner;
	const struct selfmon_cost *outer = &calibration->outer;
	struct kind kind = { .column = column, .unit = unit };

	if (!calibration->done)
		return kind;
	kind.inner = unit * (column < 0 ? inner->ticks
					: inner->counter[column]);
	kind.outer = unit * (column < 0 ? outer->ticks
					: outer->counter[column]);
	kind.skipped = unit * (column < 0
				       ? calibration->skipped.ticks
				       : calibration->skipped.counter[column]);
	kind.inner_noise = unit / 2 * (column < 0
					       ? inner->ticks_spread
					       : inner->counter_spread[column]);
	kind.outer_noise = unit / 2 * (column < 0
					       ? outer->ticks_spread
					       : outer->counter_spread[column]);
	return kind;
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
	struct kind kind = kind_of(calibration, -1, ns_per_tick);
	size_t i;
	int column;

	for (i = 0; i < report->rows; i++) {
		const struct selfmon_gathered *from = &settle->gather->row[i];

		take_facts(&report->row[i], from,
			   selfmon_gather_region(settle->gather, from->region));
	}
	settle_quantity(settle, &kind);
	for (column = 0; column < (int)report->columns; column++) {
		kind = kind_of(calibration, column, 1);
		settle_quantity(settle, &kind);
	}
	for (i = 0; i < report->rows; i++) {
		report->row[i].own_ns = own_ns(&report->row[i]);
		report->row[i].p50_ns = quantile_ns(settle, i, 50);
		report->row[i].p90_ns = quantile_ns(settle, i, 90);
		report->row[i].p99_ns = quantile_ns(settle, i, 99);
		if (report->row[i].parent < 0 && report->row[i].time.net > 0)
			report->total_ns += report->row[i].time.net;
	}
	judge_exclusive(report);
	selfmon_report_tell_beyond(report, settle->gather, settle->clock);
	take_cost(report, calibration, ns_per_tick);
}

int selfmon_report_settle(struct selfmon_report *report,
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
	if (selfmon_report_detail(report, gather, clock))
		return -ENOMEM;
	return selfmon_report_order(report);
}
