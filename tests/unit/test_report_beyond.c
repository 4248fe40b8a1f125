/* SPDX-License-Identifier: MIT */
/* Sums of many threads that are more than a report's numbers hold. */
#include "clock/ladder.h"
#include "report/gather.h"
#include "rows.h"
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

TestSuite(report_beyond, .fini = end);

/* One thread's part: so many ticks, and events, in a thousand visits. */
static int32_t add(int32_t parent, uint32_t region, uint64_t ticks,
		   uint64_t events)
{
	struct selfmon_stats stats = { .sequence = 2000 };
	int32_t row;

	stats.ticks = (struct selfmon_sums){ ticks, ticks / 1000,
					     ticks / 1000 + 1 };
	stats.counter[0] = (struct selfmon_sums){ events, events / 1000,
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

Test(report_beyond, times_whose_sum_wraps_are_not_told)
{
	const struct selfmon_report *report;

	add(-1, 1, YEARS_97 + (UINT64_C(1) << 61), 7);
	add(-1, 1, YEARS_97 + (UINT64_C(1) << 61), 7);
	report = settle(3 * GHZ);
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 2000);
	cr_assert_eq(ROWS_GET(report, "outer")->time.verdict,
		     SELFMON_NOT_COUNTED);
	cr_assert_eq(ROWS_GET(report, "outer")->counter[0].sum, 14);
	cr_assert(rows_say(report, SELFMON_TEXT, "1 sum(s) over all visits"));
	cr_assert(rows_say(report, SELFMON_JSON, "\"total_ns\": null"));
}

Test(report_beyond, so_are_events)
{
	const struct selfmon_report *report;

	add(-1, 1, 7000, YEARS_97);
	add(-1, 1, 7000, YEARS_97 + 1000);
	report = settle(3 * GHZ);
	cr_assert_eq(ROWS_GET(report, "outer")->time.verdict, SELFMON_EXACT);
	cr_assert_eq(ROWS_GET(report, "outer")->counter[0].verdict,
		     SELFMON_NOT_COUNTED);
	cr_assert(rows_say(report, SELFMON_TEXT, "(2^63)"));
}

/* Of ticks there are numbers enough, of ns there are not. */
Test(report_beyond, so_are_times_of_a_slow_clock)
{
	const struct selfmon_report *report;

	add(-1, 1, UINT64_C(1) << 58, 7);
	report = settle(24000000);
	cr_assert_eq(ROWS_GET(report, "outer")->time.verdict,
		     SELFMON_NOT_COUNTED);
}

Test(report_beyond, nor_is_what_a_parent_has_of_its_own)
{
	const struct selfmon_report *report;
	const int32_t parent = add(-1, 1, 9000, 9000);

	add(parent, 2, 7000, YEARS_97);
	report = settle(3 * GHZ);
	cr_assert_not(ROWS_GET(report, "outer")->exclusive_valid);
	cr_assert(ROWS_GET(report, "outer", "inner")->exclusive_valid);
}

Test(report_beyond, the_largest_that_there_is_a_number_for_is_told)
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
	cr_assert_not(rows_say(report, SELFMON_TEXT, "(2^63)"));
}
