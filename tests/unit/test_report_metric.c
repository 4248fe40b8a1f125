/* SPDX-License-Identifier: MIT */
/* Tests metrics: the quotients, when there is no value, and the uncertainty. */
#include <math.h>

#include "unit/test_report_model.h"

TestSuite(report_metric, .fini = model_free);

#define HAS(text, part) cr_assert_not_null(strstr(text, part), "%s", text)
#define LACKS(text, part) cr_assert_null(strstr(text, part), "%s", text)

static struct selfmon_metric metric_of(const struct selfmon_report *report,
				       size_t row, const char *name)
{
	struct selfmon_metric metric = { .size = sizeof(metric) };
	size_t i;

	for (i = 0; !selfmon_row_metric(report, row, i, &metric); i++)
		if (!strcmp(metric.name, name))
			return metric;
	cr_assert_fail("no metric %s", name);
	return metric;
}

static bool has_metric(const struct selfmon_report *report, const char *name)
{
	struct selfmon_metric metric = { .size = sizeof(metric) };
	size_t i;

	for (i = 0; !selfmon_row_metric(report, 0, i, &metric); i++)
		if (!strcmp(metric.name, name))
			return true;
	return false;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-12;
}

static void check_value(const struct selfmon_report *report, const char *name,
			double value)
{
	const struct selfmon_metric metric = metric_of(report, 0, name);

	cr_assert_str_eq(metric.reason, "");
	cr_assert(is_near(metric.value, value), "%s is %g", name, metric.value);
}

static void check_reason(const struct selfmon_report *report, const char *name,
			 const char *reason)
{
	const struct selfmon_metric metric = metric_of(report, 0, name);

	cr_assert_eq(metric.verdict, SELFMON_NOT_COUNTED);
	cr_assert(isnan(metric.value));
	cr_assert_str_eq(metric.reason, reason);
}

/*
 * Makes one row of 10 visits and 1000 ns, with a column for each name. The
 * values are first, 2 * first, and so on.
 */
static struct selfmon_report *model_of(const char *const *name, double first)
{
	struct selfmon_report *report = model_make(1);
	size_t k;

	model_row(report, -1, "work", 10, 1000, 1000);
	for (k = 0; name[k]; k++) {
		model_column(report, name[k], SELFMON_EXACT);
		model_counter(&report->row[0], k, SELFMON_EXACT,
			      first * (double)(k + 1));
	}
	return report;
}

#define MODEL(first, ...)                                                      \
	model_of((const char *const[]){ __VA_ARGS__, NULL }, first)

/*
 * Cycles of one core type cover only a part of the time and of the work, so
 * they give no frequency.
 */
Test(report_metric, sets_no_type_of_core_against_what_is_of_all)
{
	struct selfmon_report *report =
		MODEL(100, "cpu_core/cycles/", "cpu_atom/cycles/",
		      "cpu_core/instructions/", "cpu_atom/instructions/");

	check_value(report, "cpu_core/IPC/", 3);
	check_value(report, "cpu_atom/IPC/", 2);
	check_value(report, "cpu_core/cycles/visit/", 10);
	cr_expect_not(has_metric(report, "cpu_core/GHz/"));
	cr_expect_not(has_metric(report, "cpu_atom/GHz/"));
}

Test(report_metric, divides_events_by_their_partners)
{
	struct selfmon_report *report =
		MODEL(3000, "cycles", "instructions", "branch-misses",
		      "branches", "dTLB-load-misses", "dTLB-loads",
		      "stalled-cycles-frontend", "stalled-cycles-backend");

	check_value(report, "IPC", 2);
	check_value(report, "GHz", 3);
	check_value(report, "cycles/visit", 300);
	check_value(report, "branch-misses%", 75);
	check_value(report, "branch-misses MPKI", 1500);
	check_value(report, "dTLB-load-misses%", 500 / 6.0);
	check_value(report, "dTLB-load-misses MPKI", 2500);
	check_value(report, "frontend-stalls%", 700);
	check_value(report, "backend-stalls%", 800);
}

Test(report_metric, divides_software_events_by_time)
{
	struct selfmon_report *report = MODEL(5, "faults", "task-clock");

	check_value(report, "page-faults/s", 5e6);
	check_value(report, "CPU%", 1);
}

Test(report_metric, divides_by_the_work_that_was_told)
{
	struct selfmon_report *report = MODEL(3000, "cycles");

	cr_assert(!has_metric(report, "ns/byte"));
	report->row[0].bytes = 4000;
	report->row[0].items = 20;
	check_value(report, "cycles/byte", 0.75);
	check_value(report, "bytes/cycle", 4 / 3.0);
	check_value(report, "cycles/item", 150);
	check_value(report, "ns/byte", 0.25);
	check_value(report, "GB/s", 4);
	check_value(report, "ns/item", 50);
	check_value(report, "items/s", 2e7);
}

Test(report_metric, takes_measured_work_for_all_as_it_takes_time)
{
	struct selfmon_report *report = MODEL(3000, "cycles");

	/* One visit in four is measured, but the net time covers all visits. */
	report->row[0].visits = 40;
	report->row[0].bytes = 1000;
	check_value(report, "ns/byte", 0.25);
	check_value(report, "cycles/visit", 75);
}

Test(report_metric, knows_vendors_names_and_topdown)
{
	struct selfmon_report *report =
		MODEL(500, "cpu/slots/", "cpu/topdown-retiring/",
		      "INST_RETIRED.ANY:u", "cpu_clk_unhalted:thread:u",
		      "MEM_LOAD_RETIRED.L3_MISS:u");

	check_value(report, "topdown-retiring%", 200);
	check_value(report, "IPC:u", 0.75);
	check_value(report, "MEM_LOAD_RETIRED.L3_MISS MPKI:u", 5000 / 3.0);
}

Test(report_metric, never_divides_across_pmus_or_modes)
{
	struct selfmon_report *report =
		MODEL(500, "cpu_core/instructions/", "cpu_atom/cycles/",
		      "instructions:u", "cycles:k");

	check_reason(report, "cpu_core/IPC/", "cycles: not requested");
	check_reason(report, "cpu_atom/IPC/", "instructions: not requested");
	check_reason(report, "IPC:u", "cycles: not requested");
	check_reason(report, "IPC:k", "instructions: not requested");
}

Test(report_metric, never_divides_user_counts_by_those_of_both_modes)
{
	struct selfmon_report *report = MODEL(500, "instructions", "cycles");

	report->column[1].kernel = true;
	check_reason(report, "IPC", "cycles: not requested");
}

Test(report_metric, says_which_event_is_not_there)
{
	struct selfmon_report *report =
		MODEL(500, "dTLB-load-misses", "instructions", "cycles");

	check_reason(report, "dTLB-load-misses%", "dTLB-loads: not requested");
	report->row[0].counter[2].verdict = SELFMON_NOT_COUNTED;
	check_reason(report, "IPC", "cycles: no value here");
	report->column[2].verdict = SELFMON_NOT_COUNTED;
	check_reason(report, "IPC", "cycles: not counted");
	report->column[2].verdict = SELFMON_EXACT;
	report->row[0].counter[1].verdict = SELFMON_NOT_COUNTED;
	check_reason(report, "IPC", "instructions: no value here");
}

Test(report_metric, says_what_is_zero)
{
	struct selfmon_report *report = MODEL(500, "instructions", "cycles");

	report->row[0].counter[1].net = 0;
	check_reason(report, "IPC", "division by zero: cycles is 0");
	report->row[0].counter[1].net = -3;
	check_reason(report, "IPC", "division by zero: cycles is 0");
	HAS(model_written(report, SELFMON_TEXT),
	    "\n  - IPC: division by zero: cycles is 0\n");
}

Test(report_metric, says_how_many_regions_it_is_zero_in)
{
	struct selfmon_report *report = model_counters();

	report->row[1].counter[0].net = report->row[2].counter[0].net = 0;
	HAS(model_written(report, SELFMON_TEXT),
	    "\n  - IPC of 2 regions, the first: division by zero: cycles is "
	    "0\n");
}

Test(report_metric, has_no_numbers_that_are_none)
{
	struct selfmon_report *report = MODEL(500, "instructions", "cycles");

	report->row[0].counter[1].net = (double)NAN;
	check_reason(report, "IPC", "instructions / cycles is not a number");
	report->row[0].counter[0].net = 1e300;
	report->row[0].counter[1].net = 1e-300;
	check_reason(report, "IPC", "instructions / cycles is not a number");
}

Test(report_metric, never_divides_counts_of_other_visits)
{
	struct selfmon_report *report = MODEL(500, "instructions", "cycles");
	struct selfmon_row *row = &report->row[0];

	row->counter[1].visits = 9;
	check_reason(report, "IPC", "instructions covers 10 visits, cycles 9, "
		     "possibly different ones");
	row->counter[0].visits = 9;
	check_reason(report, "IPC", "instructions covers 9 visits, cycles 9, "
		     "possibly different ones");
	check_reason(report, "GHz", "cycles covers 9 visits, time 10, possibly "
		     "different ones");
}

Test(report_metric, divides_by_the_time_of_the_visits_that_were_counted)
{
	struct selfmon_report *report = MODEL(500, "instructions", "cycles");
	struct selfmon_row *row = &report->row[0];

	row->counter[0].visits = row->counter[1].visits = row->whole = 9;
	row->whole_ns = 250;
	check_value(report, "IPC", 0.5);
	check_value(report, "GHz", 4);
	check_value(report, "cycles/visit", 1000 / 9.0);
}

Test(report_metric, has_no_zero_for_work_that_nobody_told)
{
	struct selfmon_report *report = MODEL(500, "cycles");

	model_row(report, -1, "other", 10, 1000, 1000)->bytes = 1;
	check_reason(report, "GB/s", "bytes: no value here");
	check_reason(report, "ns/byte", "bytes: no value here");
}

Test(report_metric, is_as_sure_as_the_less_sure_of_the_two)
{
	struct selfmon_report *report = MODEL(500, "instructions", "cycles");
	struct selfmon_quantity *counter = report->row[0].counter;

	cr_assert_eq(metric_of(report, 0, "IPC").verdict, SELFMON_EXACT);
	counter[1].verdict = SELFMON_SYSCALL;
	cr_assert_eq(metric_of(report, 0, "IPC").verdict, SELFMON_SYSCALL);
	counter[0].verdict = SELFMON_SCALED;
	cr_assert_eq(metric_of(report, 0, "IPC").verdict, SELFMON_SCALED);
}

Test(report_metric, holds_all_that_estimates_may_be_off)
{
	struct selfmon_report *report = MODEL(500, "instructions", "cycles");
	struct selfmon_quantity *counter = report->row[0].counter;

	counter[0].noise = counter[1].noise = 0;
	cr_assert(is_near(metric_of(report, 0, "IPC").uncertainty, 0));
	counter[0].verdict = counter[1].verdict = SELFMON_SCALED;
	counter[0].guessed = counter[1].guessed = 0.25;
	/* The metric is 500 / 1000. Its largest possible value is 625 / 750. */
	cr_assert(is_near(metric_of(report, 0, "IPC").uncertainty, 1 / 3.0));
	counter[1].guessed = 0.5;
	counter[1].noise = 500;
	cr_assert(isinf(metric_of(report, 0, "IPC").uncertainty));
}

Test(report_metric, is_marked_in_text_like_what_it_is_of)
{
	struct selfmon_report *report = MODEL(2000, "cycles", "instructions");

	report->row[0].counter[0].verdict = SELFMON_SCALED;
	report->row[0].counter[0].share_on_pmu = 0.625;
	HAS(model_written(report, SELFMON_TEXT), "2.00~");
	HAS(model_written(report, SELFMON_TEXT), "200~");
}

Test(report_metric, of_an_event_asked_for_twice_is_that_which_counts)
{
	struct selfmon_report *report =
		MODEL(500, "cycles", "cpu-cycles", "instructions");

	report->column[0].verdict = SELFMON_NOT_COUNTED;
	check_value(report, "IPC", 1.5);
	check_value(report, "GHz", 1);
	cr_assert_eq(selfmon_report_metric_count(report), 3);
}

Test(report_metric, asks_for_a_size_a_row_and_a_metric_that_are_there)
{
	struct selfmon_report *report = MODEL(500, "cycles");
	struct selfmon_metric metric = { .size = 8 };

	cr_assert_eq(selfmon_row_metric(report, 0, 0, &metric), -22);
	metric.size = sizeof(metric);
	cr_assert_eq(selfmon_row_metric(report, 0, 0, &metric), 0);
	cr_assert_eq(selfmon_row_metric(report, 1, 0, &metric), -2);
	cr_assert_eq(selfmon_row_metric(report, 0,
					selfmon_report_metric_count(report),
					&metric), -2);
}

Test(report_metric, without_an_operand_has_no_column_in_text)
{
	struct selfmon_report *report = MODEL(500, "instructions");

	LACKS(model_written(report, SELFMON_TEXT), "IPC");
	HAS(model_written(report, SELFMON_JSON),
	    "\"reason\": \"cycles: not requested\"");
	HAS(model_written(report, SELFMON_CSV),
	    ",not counted,,,\"cycles: not requested\"\r\n");
}
