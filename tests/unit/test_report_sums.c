/* SPDX-License-Identifier: MIT */
/* Tests sums over many threads that exceed the range of a number. */
#include "clock/ladder.h"
#include "report/gather.h"
#include "rows.h"
#include "report/net_values.h"
#include "store/name.h"
#include "test_report_model.h"

#define GHZ UINT64_C(1000000000)
#define YEARS_97 (UINT64_C(1) << 63) /* of ticks, at 3 GHz */

static struct selfmon_region outer = { .site = { .name = "outer", .file = "" } };
static struct selfmon_region inner = { .site = { .name = "inner", .file = "" } };
static struct selfmon_region *const named[] = { &outer, &inner };
static struct selfmon_gather gather = { .named = named };

static void end(void)
{
	selfmon_gather_free(&gather);
	model_free();
}

TestSuite(report_sums, .fini = end);

/* Adds the ticks and events of one thread, in a thousand visits. */
static int32_t add(int32_t parent, uint32_t region, uint64_t ticks,
		   uint64_t events)
{
	struct selfmon_stats stats = { .sequence = 2000 };
	int32_t row;

	stats.ticks = (struct selfmon_sums){ ticks, 1, ticks / 1000 + 1 };
	stats.counter[0] = (struct selfmon_sums){ events, 1,
						  events / 1000 + 1 };
	cr_assert_eq(selfmon_gather_add(&gather, parent, region, &stats, NULL,
					&row),
		     0);
	return row;
}

static const struct selfmon_report *settle(uint64_t hz)
{
	const struct selfmon_calibration calibration = { .done = false };
	struct selfmon_report *report =
		model_keep(calloc(1, sizeof(*report)));
	struct selfmon_clock clock = { .hz = 0 };

	report->every = 1;
	model_column(report, "cycles", SELFMON_EXACT);
	selfmon_clock_from_hz(&clock, SELFMON_CLOCK_CPUID, hz);
	cr_assert_eq(selfmon_report_settle(report, &gather, &calibration,
					   &clock), 0);
	rows_check(report);
	return report;
}

Test(report_sums, sums_saturate)
{
	const struct selfmon_report *report;
	const struct selfmon_row *row;

	add(-1, 1, YEARS_97 + (UINT64_C(1) << 61), YEARS_97);
	add(-1, 1, YEARS_97 + (UINT64_C(1) << 61), YEARS_97 + 1000);
	report = settle(3 * GHZ);
	row = ROWS_GET(report, "outer");
	cr_assert_eq(row->visits, 2000);
	/*
	 * The sum saturates at 2^64 ticks, which are then converted with the
	 * clock's rounding.
	 */
	cr_assert_gt(row->time.sum, UINT64_MAX / 3 - (UINT64_C(1) << 32));
	cr_assert_leq(row->time.sum, UINT64_MAX / 3);
	cr_assert_eq(row->counter[0].sum, UINT64_MAX);
	cr_assert_eq(row->counter[0].exclusive, INT64_MAX);
}

Test(report_sums, the_largest_sums_are_exact)
{
	const uint64_t half = UINT64_C(1) << 61;
	const struct selfmon_report *report;

	add(-1, 1, half, half);
	add(-1, 1, half, half);
	report = settle(GHZ);
	cr_assert_eq(ROWS_GET(report, "outer")->time.sum, 2 * half);
	cr_assert_eq(ROWS_GET(report, "outer")->counter[0].sum, 2 * half);
	cr_assert_eq(ROWS_GET(report, "outer")->counter[0].exclusive,
		     (int64_t)(2 * half));
}
