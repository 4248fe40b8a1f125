/* SPDX-License-Identifier: MIT */
/*
 * Tests regions of known work with more events than the PMU has counters: the
 * report must be right about each column, including its number of visits and
 * its share of the time.
 */
#include "counters/set.h"
#include "hw.h"
#include "rows.h"

#define EVENTS                                                                 \
	"instructions,instructions,instructions,instructions,"                 \
	"instructions,instructions,instructions,instructions"
#define COLUMNS 8
#define SHORT 500   /* iterations of two instructions */
#define LONG 50000
#define SHORT_VISITS 20000
#define LONG_VISITS 3000

static HW_NOINLINE void visit_short(void)
{
	SELFMON_REGION("short")
		hw_loop(SHORT);
}

static HW_NOINLINE void visit_long(void)
{
	SELFMON_REGION("long")
		hw_loop(LONG);
}

static struct selfmon_report *take(void)
{
	struct selfmon_counters *set;
	int i;

	hw_require_exact();
	hw_require_user_reads(hw_open("instructions"));
	cr_assert_gt(selfmon_counters_open(EVENTS, 0, &set, NULL), 0);
	if (!set->more)
		cr_skip_test("all %d events fit, or all but some", COLUMNS);
	selfmon_counters_close(set);
	hw_configure(EVENTS);
	for (i = 0; i < SHORT_VISITS; i++)
		visit_short();
	for (i = 0; i < LONG_VISITS; i++)
		visit_long();
	return rows_take();
}

static bool is_near(double value, double truth, double error)
{
	return value >= truth - error && value <= truth + error;
}

/* Each group is on the PMU in turn, so the shares of all groups add up to 1. */
static void check_shares(const struct selfmon_row *row)
{
	const struct selfmon_quantity *const first = &row->counter[0];
	const struct selfmon_quantity *const last = &row->counter[COLUMNS - 1];
	size_t i;

	for (i = 0; i < COLUMNS; i++) {
		const struct selfmon_quantity *const value = &row->counter[i];
		const double visits =
			(double)value->visits / (double)row->measured;

		cr_assert_gt(visits, 0.2, "column %zu: %f", i, visits);
		cr_assert_lt(visits, 0.8, "column %zu: %f", i, visits);
		cr_assert(is_near(value->share_on_pmu, visits, 0.05),
			  "column %zu of %s: a value of %f, on for %f", i,
			  row->name, visits, value->share_on_pmu);
	}
	cr_assert(is_near(first->share_on_pmu + last->share_on_pmu, 1, 0.02),
		  "%f and %f", first->share_on_pmu, last->share_on_pmu);
}

static double mean(const struct selfmon_row *row, size_t i)
{
	return row->counter[i].net / (double)row->counter[i].visits;
}

Test(hw_shares, a_column_says_how_much_of_a_region_it_counted)
{
	struct selfmon_report *const report = take();

	check_shares(ROWS_GET(report, "short"));
	check_shares(ROWS_GET(report, "long"));
	cr_assert(rows_say(report, SELFMON_TEXT, ": counted in "));
	selfmon_report_free(report);
}

/* The difference of two lengths excludes the overhead of a visit. */
Test(hw_shares, the_mean_of_the_counted_visits_is_that_of_the_work)
{
	struct selfmon_report *const report = take();
	const struct selfmon_row *const a = ROWS_GET(report, "short");
	const struct selfmon_row *const b = ROWS_GET(report, "long");
	const double slope = 2.0 * (LONG - SHORT);
	size_t i;

	for (i = 0; i < COLUMNS; i++) {
		cr_assert(is_near(mean(b, i) - mean(a, i), slope, slope / 100),
			  "column %zu: %f and %f", i, mean(a, i), mean(b, i));
		cr_assert(is_near(mean(b, i), 2.0 * LONG, 2.0 * LONG / 100),
			  "column %zu: %f", i, mean(b, i));
	}
	selfmon_report_free(report);
}

/* Two events of one group have values in the same visits. */
Test(hw_shares, events_of_one_group_have_their_ratio)
{
	struct selfmon_metric metric = { .size = sizeof(metric) };
	struct selfmon_report *report;
	size_t i, k;

	if (strcmp(SELFMON_ARCH_NAME, "x86-64"))
		cr_skip_test("ref-cycles has one counter on Intel's PMUs");
	hw_require_exact();
	hw_configure("ref-cycles,cycles,instructions,ref-cycles");
	for (i = 0; i < SHORT_VISITS; i++)
		visit_short();
	report = rows_take();
	cr_assert_lt(selfmon_report_row(report, 0)->counter[1].visits,
		     SHORT_VISITS);
	for (i = 0, k = 0; !selfmon_row_metric(report, 0, i, &metric); i++) {
		if (strcmp(metric.name, "IPC") &&
		    strcmp(metric.name, "cycles/visit"))
			continue;
		k++;
		cr_assert_neq(metric.verdict, SELFMON_NOT_COUNTED, "%s: %s",
			      metric.name, metric.reason);
	}
	cr_assert_eq(k, 2);
	selfmon_report_free(report);
}
