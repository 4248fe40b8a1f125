/* SPDX-License-Identifier: MIT */
/* Tests the histogram of a row, and quantiles computed from it. */
#include <errno.h>
#include <math.h>

#include "clock/ladder.h"
#include "report/gather.h"
#include "rows.h"
#include "report/net_values.h"
#include "store/name.h"
#include "unit/test_report_model.h"

#define GHZ UINT64_C(1000000000)

static struct selfmon_region outer = { .site = { .name = "outer", .file = "" } };
static struct selfmon_region inner = { .site = { .name = "inner", .file = "" } };
static struct selfmon_region *const named[] = { &outer, &inner };
static struct selfmon_gather gather = { .named = named };
static struct selfmon_calibration calibration;

static void end(void)
{
	selfmon_gather_free(&gather);
	model_free();
}

TestSuite(report_histogram, .fini = end);

static int32_t add(int32_t parent, uint32_t region,
		   const struct selfmon_stats *stats)
{
	int32_t row;

	cr_assert_eq(selfmon_gather_add(&gather, parent, region, stats, NULL,
					&row), 0);
	return row;
}

static struct selfmon_report *settle(uint64_t hz)
{
	struct selfmon_report *report = model_keep(calloc(1, sizeof(*report)));
	struct selfmon_clock clock = { .hz = 0 };

	report->every = 1;
	report->clock_hz = hz;
	selfmon_clock_from_hz(&clock, SELFMON_CLOCK_CPUID, hz);
	cr_assert_eq(selfmon_report_settle(report, &gather, &calibration,
					   &clock), 0);
	rows_check(report);
	return report;
}

static struct selfmon_report *one_row(const struct selfmon_stats *stats,
				      uint64_t hz)
{
	add(-1, 1, stats);
	return settle(hz);
}

static uint64_t lowest(unsigned int b)
{
	return b < SELFMON_BUCKETS - 1
		       ? (4 + b % 4) * (UINT64_C(1) << b / 4) - 4
		       : SELFMON_TICKS_LAST;
}

/*
 * Makes b + 1 visits at the lower end of each bucket b, which must be counted
 * in that bucket. Checks the bounds of all buckets.
 */
static void check_bounds(uint64_t hz)
{
	struct selfmon_bucket bucket[SELFMON_BUCKETS_MAX];
	struct selfmon_stats stats = { .ticks.min = UINT64_MAX };
	const double ns_per_tick = 1e9 / (double)hz;
	unsigned int b;

	for (b = 0; b < SELFMON_BUCKETS; b++)
		model_visit(&stats, lowest(b), b + 1);
	cr_assert_eq(selfmon_row_histogram(one_row(&stats, hz), 0, bucket,
					   SELFMON_BUCKETS_MAX),
		     SELFMON_BUCKETS);
	for (b = 0; b < SELFMON_BUCKETS; b++) {
		cr_expect_float_eq(bucket[b].low_ns,
				   ns_per_tick * (double)lowest(b),
				   ns_per_tick * 1e-6);
		cr_assert_eq(bucket[b].visits, b + 1);
		cr_assert(b == 0 || bucket[b].low_ns <= bucket[b - 1].high_ns,
			  "a gap below bucket %u", b);
		cr_assert(b == 0 || bucket[b].low_ns >= bucket[b - 1].high_ns,
			  "bucket %u overlaps", b);
		cr_assert(b == SELFMON_BUCKETS - 1 ||
				  bucket[b].high_ns <=
					  (bucket[b].low_ns * 1.25 +
					   ns_per_tick) * (1 + 1e-9),
			  "bucket %u is too wide", b);
	}
}

Test(report_histogram, has_the_bounds_of_every_bucket)
{
	check_bounds(GHZ);
}

Test(report_histogram, has_the_bounds_at_any_rate_of_the_clock)
{
	static const uint64_t hz[] = { 100000, 24000000, 2599998877,
				       1000 * GHZ };
	size_t i;

	for (i = 0; i < sizeof(hz) / sizeof(hz[0]); i++) {
		check_bounds(hz[i]);
		end();
		memset(&gather, 0, sizeof(gather));
		gather.named = named;
	}
}

Test(report_histogram, ends_with_the_longest_visit)
{
	struct selfmon_stats stats = { .ticks.min = UINT64_MAX };
	struct selfmon_bucket bucket = { .visits = 0 };

	model_visit(&stats, SELFMON_TICKS_LAST * 3, 2);
	cr_assert_eq(selfmon_row_histogram(one_row(&stats, GHZ), 0, &bucket, 1),
		     1);
	cr_assert_eq(bucket.visits, 2);
	cr_assert_leq(bucket.low_ns, (double)SELFMON_TICKS_LAST);
	cr_assert_geq(bucket.high_ns, (double)SELFMON_TICKS_LAST * 3);
}

Test(report_histogram, copies_no_more_than_there_is_room_for)
{
	struct selfmon_bucket bucket[3] = { { 0, 0, 7 }, { 0, 0, 7 },
					    { 0, 0, 7 } };
	struct selfmon_stats stats = { .ticks.min = UINT64_MAX };
	const struct selfmon_report *report;

	model_visit(&stats, 10, 1);
	model_visit(&stats, 100, 2);
	model_visit(&stats, 1000, 3);
	report = one_row(&stats, GHZ);
	cr_assert_eq(selfmon_row_histogram(report, 0, NULL, 0), 3);
	cr_assert_eq(selfmon_row_histogram(report, 0, bucket, 2), 3);
	cr_assert_eq(bucket[0].visits, 1);
	cr_assert_eq(bucket[1].visits, 2);
	cr_assert_eq(bucket[2].visits, 7);
	cr_assert_eq(selfmon_row_histogram(report, 1, bucket, 2), -ENOENT);
}

/*
 * The merged reports have different clocks, so the middles of two buckets, in
 * ns, may lie in one bucket of the merged report.
 */
Test(report_histogram, of_a_merged_report_has_no_bucket_twice)
{
	struct selfmon_row_bucket middle[] = { { 1000, 1 }, { 1003, 2 },
					       { 9000, 4 } };
	struct selfmon_row_detail detail = { .buckets = 3, .bucket = middle };
	struct selfmon_report *const report = model_make(1);
	struct selfmon_bucket bucket[2];

	model_row(report, -1, "a", 7, 40000, 40000);
	report->clock_hz = 0;
	report->processes = 2;
	report->detail = &detail;
	cr_assert_eq(selfmon_row_histogram(report, 0, bucket, 2), 2);
	report->detail = NULL; /* the report must not free it */
	cr_assert_eq(bucket[0].visits, 3);
	cr_assert_eq(bucket[1].visits, 4);
	cr_assert(bucket[0].low_ns <= 1000 && bucket[0].high_ns > 1003);
}

Test(report_histogram, of_what_was_not_counted_is_empty)
{
	struct selfmon_stats stats = { .rare[SELFMON_RARE_CUT_OFF] = 1 };
	const struct selfmon_report *const report = one_row(&stats, GHZ);

	cr_assert_eq(selfmon_report_row(report, 0)->time.verdict,
		     SELFMON_NOT_COUNTED);
	cr_assert_eq(selfmon_row_histogram(report, 0, NULL, 0), 0);
	cr_assert(isnan(selfmon_row_quantile(report, 0, 0.5)));
}

/*
 * There is a visit of each length from 1 ns to 1 ms, so a share q of them takes
 * at most q ms.
 */
Test(report_histogram, quantiles_are_within_an_eighth)
{
	struct selfmon_stats stats = { .ticks.min = UINT64_MAX };
	const struct selfmon_report *report;
	uint64_t ticks;
	int i;

	for (ticks = 1; ticks <= 1000000; ticks++)
		model_visit(&stats, ticks, 1);
	report = one_row(&stats, GHZ);
	for (i = 1; i <= 1000; i++) {
		const double q = i / 1000., ns = selfmon_row_quantile(report, 0,
								     q);

		cr_assert(ns >= 0.875 * 1e6 * q && ns <= 1.125 * 1e6 * q,
			  "%g: %g ns", q, ns);
	}
	cr_assert_eq(selfmon_row_quantile(report, 0, 0), 1);
}

Test(report_histogram, quantiles_outside_of_0_to_1_are_not_numbers)
{
	struct selfmon_stats stats = { .ticks.min = UINT64_MAX };
	const struct selfmon_report *report;

	model_visit(&stats, 10, 1);
	report = one_row(&stats, GHZ);
	cr_assert_eq(selfmon_row_quantile(report, 0, 1), 10);
	cr_assert(isnan(selfmon_row_quantile(report, 0, -0.1)));
	cr_assert(isnan(selfmon_row_quantile(report, 0, 1.1)));
	cr_assert(isnan(selfmon_row_quantile(report, 0, (double)NAN)));
	cr_assert(isnan(selfmon_row_quantile(report, 1, 0.5)));
}

/* In floating point, 0.07 times 100 is more than 7. */
Test(report_histogram, quantiles_are_not_of_the_next_visit_by_rounding)
{
	struct selfmon_stats stats = { .ticks.min = UINT64_MAX };

	model_visit(&stats, 1000, 7);
	model_visit(&stats, 1000000, 93);
	cr_assert_lt(selfmon_row_quantile(one_row(&stats, GHZ), 0, 0.07), 2000);
}

Test(report_histogram, quantiles_are_of_the_right_visit)
{
	uint64_t visits;

	for (visits = 10; visits <= 10000000; visits *= 10) {
		struct selfmon_stats stats = { .ticks.min = UINT64_MAX };
		const struct selfmon_report *report;

		model_visit(&stats, 1000, visits - visits / 10);
		model_visit(&stats, 1000000, visits / 10);
		report = one_row(&stats, GHZ);
		cr_assert_lt(selfmon_row_quantile(report, 0, 0.9), 2000,
			     "of %ju visits", (uintmax_t)visits);
		cr_assert_gt(selfmon_row_quantile(report, 0, 0.9 +
						  1. / (double)visits), 2000);
		end();
		memset(&gather, 0, sizeof(gather));
		gather.named = named;
	}
}

/*
 * Makes a parent with visits of many lengths, a child in each visit, and
 * overhead.
 */
Test(report_histogram, quantiles_are_the_percentiles_where_both_are_there)
{
	struct selfmon_stats stats[2] = { { .ticks.min = UINT64_MAX },
					  { .ticks.min = UINT64_MAX } };
	const struct selfmon_report *report;
	uint64_t ticks;
	size_t i;

	for (ticks = 100; ticks < 3000000; ticks += ticks / 9) {
		model_visit(&stats[0], ticks + 60, ticks % 7 + 1);
		model_visit(&stats[1], ticks, ticks % 7 + 1);
	}
	calibration.done = 1;
	calibration.inner.ticks = 12;
	calibration.outer.ticks = 25;
	stats[0].kind[SELFMON_KIND_SPAN] = 1;
	stats[1].kind[SELFMON_KIND_SPAN] = 900000; /* a few expensive visits */
	calibration.kind[SELFMON_KIND_SPAN].ticks = 10;
	add(add(-1, 1, &stats[0]), 2, &stats[1]);
	report = settle(GHZ);
	cr_assert_eq(selfmon_report_row_count(report), 2);
	for (i = 0; i < 2; i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		cr_assert_eq(selfmon_row_quantile(report, i, 0.5),
			     (double)row->p50_ns);
		cr_assert_eq(selfmon_row_quantile(report, i, 0.9),
			     (double)row->p90_ns);
		cr_assert_eq(selfmon_row_quantile(report, i, 0.99),
			     (double)row->p99_ns);
	}
	cr_assert_lt((double)selfmon_report_row(report, 1)->p50_ns,
		     (double)selfmon_report_row(report, 1)->time.sum);
}
