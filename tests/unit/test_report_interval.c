/* SPDX-License-Identifier: MIT */
/* Tests the report of an interval, with reports whose visits are known. */
#include <errno.h>

#include "clock/ladder.h"
#include "report/recorded.h"
#include "rows.h"
#include "store/name.h"
#include "unit/test_report_model.h"

#define GHZ UINT64_C(1000000000)

TestSuite(report_interval, .fini = model_free);

static struct selfmon_region region[] = {
	{ .length = 5, .site = { .name = "outer", .file = "", .id = 1 } },
	{ .length = 5, .site = { .name = "inner", .file = "", .id = 2 } },
	{ .length = 5, .site = { .name = "later", .file = "", .id = 3 } },
};
static struct selfmon_region *const named[] = { &region[0], &region[1],
						&region[2] };

#define NONE { .ticks.min = UINT64_MAX, .counter[0].min = UINT64_MAX,          \
	       .counter[1].min = UINT64_MAX }

/* Returns a report taken after this number of seconds. Its clock has 1 GHz. */
static struct selfmon_report *begin(uint64_t seconds)
{
	struct selfmon_report *report = model_keep(calloc(1, sizeof(*report)));

	report->every = 1;
	report->pid = 42;
	report->clock_hz = GHZ;
	snprintf(report->when, sizeof(report->when), "at %d s", (int)seconds);
	report->recorded = calloc(1, sizeof(*report->recorded));
	report->recorded->gather.named = named;
	report->start_ticks = 7;
	report->recorded->ticks = 7 + seconds * GHZ;
	selfmon_clock_from_hz(&report->recorded->clock, SELFMON_CLOCK_CPUID,
			      GHZ);
	return report;
}

static int32_t add(struct selfmon_report *report, int32_t parent, uint32_t id,
		   const struct selfmon_stats *stats)
{
	int32_t row;

	cr_assert_eq(selfmon_gather_add(&report->recorded->gather, parent, id,
					stats, NULL, &row), 0);
	return row;
}

static struct selfmon_report *settle(struct selfmon_report *report)
{
	cr_assert_eq(selfmon_gather_end(&report->recorded->gather), 0);
	cr_assert_eq(selfmon_recorded_settle(report), 0);
	return report;
}

static struct selfmon_report *of_one(uint64_t seconds,
				     const struct selfmon_stats *stats)
{
	struct selfmon_report *const report = begin(seconds);

	add(report, -1, 1, stats);
	return settle(report);
}

static struct selfmon_report *interval_of(const struct selfmon_report *later,
					  const struct selfmon_report *earlier)
{
	struct selfmon_report *interval = NULL;

	cr_assert_eq(selfmon_report_subtract(later, earlier, &interval), 0);
	rows_check(interval);
	return model_keep(interval);
}

static bool is_near(double ns, double wanted)
{
	return ns >= 0.875 * wanted && ns <= 1.125 * wanted;
}

Test(report_interval, has_the_visits_and_percentiles_of_its_own)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *interval, *first, *second;
	const struct selfmon_row *row;

	model_visit(&stats, 1000, 100);
	first = of_one(60, &stats);
	model_visit(&stats, 5000, 40);
	model_visit(&stats, 50000, 10);
	second = of_one(120, &stats);
	interval = interval_of(second, first);
	row = ROWS_GET(interval, "outer");
	cr_assert_eq(row->visits, 50);
	cr_assert_eq(row->measured, 50);
	cr_assert_eq(row->time.visits, 50);
	cr_assert_eq(row->time.sum, 700000);
	cr_expect_float_eq(row->time.net, 700000, 1e-3);
	cr_expect_float_eq(interval->total_ns, 700000, 1e-3);
	cr_assert(is_near((double)row->p50_ns, 5000));
	cr_assert(is_near((double)row->p90_ns, 50000));
	cr_assert(is_near(selfmon_row_quantile(interval, 0, 0.8), 5000));
	cr_assert_eq(selfmon_row_histogram(interval, 0, NULL, 0), 2);
	cr_assert(is_near((double)ROWS_GET(second, "outer")->p50_ns, 1000));
	cr_assert_str_eq(interval->since, "at 60 s");
	cr_assert_str_eq(interval->when, "at 120 s");
	cr_expect_float_eq(interval->elapsed_ns, 60e9, 1);
}

Test(report_interval, has_exact_extremes_that_are_beyond_all_before)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *first;
	const struct selfmon_row *row;

	model_visit(&stats, 1000, 100);
	first = of_one(60, &stats);
	model_visit(&stats, 777, 2);
	model_visit(&stats, 7777777, 1);
	row = ROWS_GET(interval_of(of_one(61, &stats), first), "outer");
	cr_assert_eq(row->time.min, 777);
	cr_assert_eq(row->time.max, 7777778); /* rounded up */
	cr_assert_eq(row->unsure, 0);
}

Test(report_interval, has_bounds_of_extremes_that_are_not)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *first, *interval;
	const struct selfmon_row *row;

	model_visit(&stats, 10, 1);
	model_visit(&stats, 7777777, 1);
	first = of_one(60, &stats);
	model_visit(&stats, 5000, 2);
	model_visit(&stats, 9000, 2);
	interval = interval_of(of_one(61, &stats), first);
	row = ROWS_GET(interval, "outer");
	cr_assert_eq(row->unsure, SELFMON_BOUND_MIN | SELFMON_BOUND_MAX);
	cr_assert(row->time.min <= 5000 && row->time.min >= 4000, "%ju",
		  (uintmax_t)row->time.min);
	cr_assert(row->time.max >= 9000 && row->time.max <= 11250, "%ju",
		  (uintmax_t)row->time.max);
	cr_assert_eq(row->max_ns, row->time.max);
	cr_assert(rows_say(interval, SELFMON_TEXT, "Minimum and maximum of an "
						   "interval"));
	cr_assert(rows_say(interval, SELFMON_TEXT, "1.00 s since at 60 s;") ||
		  rows_say(interval, SELFMON_TEXT, "1.000 s since at 60 s;"));
	cr_assert(rows_say(interval, SELFMON_JSON, "\"since\": \"at 60 s\""));
	cr_assert_not(rows_say(first, SELFMON_TEXT, "Extremes"));
	cr_assert(rows_say(first, SELFMON_JSON, "\"since\": \"\""));
}

/* Visits of seconds have buckets of their own (SELFMON_BUCKETS_SHORT). */
Test(report_interval, has_bounds_of_long_extremes)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *first, *interval;
	const struct selfmon_row *row;

	model_visit(&stats, 10, 1);
	model_visit(&stats, 400 * GHZ, 3);
	first = of_one(60, &stats);
	model_visit(&stats, 50 * GHZ, 2);
	model_visit(&stats, 90 * GHZ, 2);
	interval = interval_of(of_one(61, &stats), first);
	row = ROWS_GET(interval, "outer");
	cr_assert_eq(row->unsure, SELFMON_BOUND_MIN | SELFMON_BOUND_MAX);
	cr_assert(row->time.min <= 50 * GHZ && row->time.min >= 40 * GHZ, "%ju",
		  (uintmax_t)row->time.min);
	cr_assert(row->time.max >= 90 * GHZ && row->time.max <= 113 * GHZ,
		  "%ju", (uintmax_t)row->time.max);
	cr_assert(is_near((double)row->p50_ns, 50e9));
	cr_assert(is_near((double)row->p90_ns, 90e9));
}

Test(report_interval, has_the_exact_time_of_its_only_visit)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *first;
	const struct selfmon_row *row;

	model_visit(&stats, 10, 1);
	model_visit(&stats, 7777777, 1);
	first = of_one(60, &stats);
	model_visit(&stats, 5003, 1);
	row = ROWS_GET(interval_of(of_one(61, &stats), first), "outer");
	cr_assert_eq(row->time.min, 5003);
	cr_assert_eq(row->time.max, 5004);
	cr_assert_eq(row->unsure, 0);
}

Test(report_interval, has_a_new_region_as_it_is)
{
	struct selfmon_stats stats = NONE, new = NONE;
	struct selfmon_report *first, *second;
	const struct selfmon_row *row;
	int32_t outer;

	model_visit(&stats, 1000, 3);
	first = of_one(60, &stats);
	second = begin(120);
	model_visit(&stats, 1000, 1);
	model_visit(&new, 100, 3);
	model_visit(&new, 300, 1);
	outer = add(second, -1, 1, &stats);
	add(second, outer, 3, &new);
	row = ROWS_GET(interval_of(settle(second), first), "outer", "later");
	cr_assert_eq(row->visits, 4);
	cr_assert_eq(row->time.sum, 600);
	cr_assert_eq(row->time.min, 100);
	cr_assert_eq(row->time.max, 301);
	cr_assert_eq(row->unsure, 0);
}

Test(report_interval, leaves_out_what_was_not_visited)
{
	struct selfmon_stats idle = NONE, busy = NONE;
	struct selfmon_report *report[2], *interval;
	int i;

	model_visit(&idle, 1000, 3);
	for (i = 0; i < 2; i++) {
		model_visit(&busy, 1000, 3);
		report[i] = begin(60 + (uint64_t)i);
		add(report[i], -1, 1, &idle);
		add(report[i], add(report[i], -1, 2, &idle), 3, &busy);
		settle(report[i]);
	}
	interval = interval_of(report[1], report[0]);
	cr_assert_eq(selfmon_report_row_count(interval), 2);
	cr_assert_null(ROWS_FIND(interval, "outer"));
	cr_assert_eq(ROWS_GET(interval, "inner")->visits, 0);
	cr_assert_eq(ROWS_GET(interval, "inner")->time.verdict,
		     SELFMON_NOT_COUNTED);
	cr_assert_eq(ROWS_GET(interval, "inner", "later")->visits, 3);
	cr_assert_eq(selfmon_report_row_count(interval_of(report[0], report[0])), 0);
}

/* The same regions have other row numbers, since rows are ordered by time. */
Test(report_interval, finds_rows_by_their_path)
{
	struct selfmon_stats a = NONE, b = NONE;
	struct selfmon_report *report[2], *interval;
	int i;

	model_visit(&a, 1000, 30);
	model_visit(&b, 1000, 3);
	for (i = 0; i < 2; i++) {
		report[i] = begin(60 + (uint64_t)i);
		add(report[i], add(report[i], -1, 1, &a), 3, &b);
		add(report[i], add(report[i], -1, 2, &b), 3, &a);
		settle(report[i]);
		model_visit(&b, 90000, 5);
	}
	interval = interval_of(report[1], report[0]);
	cr_assert_null(ROWS_FIND(interval, "inner", "later"));
	cr_assert_eq(ROWS_GET(interval, "inner")->visits, 5);
	cr_assert_eq(ROWS_GET(interval, "outer")->visits, 0);
	cr_assert_eq(ROWS_GET(interval, "outer", "later")->visits, 5);
}

/*
 * An open visit may have children that ended before the interval, and others
 * that ended during the interval. So its self time in the interval is unknown.
 */
Test(report_interval, has_no_self_time_of_a_visit_open_at_its_beginning)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *first = begin(60), *interval;
	const int32_t row = add(first, -1, 1, &stats);

	first->recorded->gather.row[row].open = 1;
	model_visit(&stats, 1000, 1);
	interval = interval_of(of_one(61, &stats), settle(first));
	cr_assert_eq(ROWS_GET(interval, "outer")->visits, 1);
	cr_assert_eq(ROWS_GET(interval, "outer")->open, 0);
	cr_assert_not(ROWS_GET(interval, "outer")->exclusive_valid);
}

Test(report_interval, has_the_overhead_of_its_own_visits_subtracted)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *first, *second = begin(61);
	const struct selfmon_row *row;

	model_visit(&stats, 1000, 1000);
	stats.kind[SELFMON_KIND_STEP] = 5;
	first = of_one(60, &stats);
	model_visit(&stats, 2000, 100);
	stats.kind[SELFMON_KIND_STEP] -= 9; /* -9 is taken as signed */
	second->recorded->calibration.done = 1;
	second->recorded->calibration.inner.ticks = 20;
	add(second, -1, 1, &stats);
	row = ROWS_GET(interval_of(settle(second), first), "outer");
	cr_expect_float_eq(row->time.net, 100 * (2000 - 20), 1e-3);
}

/* Makes a report whose columns are recorded in another order than requested. */
static struct selfmon_report *with_columns(uint64_t seconds,
					   const struct selfmon_stats *stats)
{
	struct selfmon_report *const report = begin(seconds);

	model_column(report, "page-faults", SELFMON_EXACT);
	model_column(report, "cycles", SELFMON_EXACT);
	report->column[0].place = 1;
	report->column[1].place = 0;
	add(report, -1, 1, stats);
	return settle(report);
}

Test(report_interval, has_its_columns_in_the_order_asked_for)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *first, *interval;
	const struct selfmon_row *row;

	model_visit(&stats, 1000, 10);
	stats.counter[0] = (struct selfmon_sums){ 50, 5, 5 };
	stats.counter[1] = (struct selfmon_sums){ 30000, 3000, 3000 };
	first = with_columns(60, &stats);
	model_visit(&stats, 1000, 10);
	stats.left_out[0] = 9;
	stats.counter[0] = (struct selfmon_sums){ 57, 5, 9 };
	stats.counter[1] = (struct selfmon_sums){ 70000, 3000, 5000 };
	interval = interval_of(with_columns(61, &stats), first);
	row = ROWS_GET(interval, "outer");
	cr_assert_str_eq(selfmon_report_column(interval, 0), "cycles");
	cr_assert_eq(row->counter[0].sum, 40000);
	cr_assert_eq(row->counter[0].visits, 10);
	cr_assert_eq(row->counter[0].max, 5000);
	cr_assert_eq(row->counter[1].sum, 7);
	cr_assert_eq(row->counter[1].visits, 1);
	cr_assert_eq(row->counter[1].min, 7, "of one visit");
	cr_assert_eq(row->counter[1].max, 7, "of one visit");
}

static void is_refused(int error, const struct selfmon_report *later,
		       const struct selfmon_report *earlier)
{
	struct selfmon_report *interval = model_reports[0];

	cr_assert_eq(selfmon_report_subtract(later, earlier, &interval), error);
	cr_assert_null(interval);
}

Test(report_interval, is_refused_of_what_is_none)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *first, *second, *other;

	model_visit(&stats, 1000, 1);
	first = of_one(60, &stats);
	model_visit(&stats, 1000, 1);
	second = of_one(61, &stats);
	is_refused(-EINVAL, first, second);
	is_refused(-EINVAL, interval_of(second, first), first);
	/* This report has no recorded sums, like one from a JSON file. */
	is_refused(-EINVAL, second, model_time());
	other = of_one(62, &stats);
	other->pid = 43;
	is_refused(-EINVAL, other, first);
	other->pid = 42;
	other->start_ticks = 8; /* another process with this pid */
	is_refused(-EINVAL, other, first);
	other->start_ticks = 7;
	other->unread = 1;
	is_refused(-EAGAIN, other, first);
	other->unread = 0;
	interval_of(other, first);
}

/* The times are in order, but the second report has fewer visits. */
Test(report_interval, is_refused_of_fewer_visits_than_before)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *first, *empty = settle(begin(60));

	model_visit(&stats, 1000, 2);
	first = of_one(60, &stats);
	is_refused(-EINVAL, empty, first);
	stats.sequence -= 2;
	is_refused(-EINVAL, of_one(60, &stats), first);
}

/*
 * The first report read the node while a visit was being recorded. The repaired
 * copy has more time than the thread then stored.
 */
Test(report_interval, has_no_sum_below_zero)
{
	struct selfmon_stats stats = NONE;
	struct selfmon_report *first;
	const struct selfmon_row *row;

	model_visit(&stats, 1000, 2);
	stats.rare[SELFMON_RARE_REPAIRED] = 1;
	first = of_one(60, &stats);
	stats.sequence += 2;
	stats.ticks.sum -= 10;
	stats.rare[SELFMON_RARE_REPAIRED] = 0;
	row = ROWS_GET(interval_of(of_one(61, &stats), first), "outer");
	cr_assert_eq(row->time.sum, 0);
	cr_assert_eq(row->repaired, 0);
}
