/* SPDX-License-Identifier: MIT */
/*
 * Tests the times of single visits without overhead: percentiles, the shortest
 * and the longest.
 */
#include "report/visit_times.h"
#include "unit/test_report_model.h"

TestSuite(visit_times, .fini = model_free);

static struct selfmon_row_bucket parent_bucket[] = { { 22000, 99 },
						     { 2100000, 1 } };
static struct selfmon_row_bucket child_bucket[] = { { 20012, 100 } };
static struct selfmon_row_detail detail[2];

static struct selfmon_row *set(struct selfmon_report *report, size_t i,
			       uint64_t sum, uint64_t min, uint64_t max,
			       double net)
{
	struct selfmon_row *const row = &report->row[i];

	row->name = i ? "parse" : "query";
	row->file = "";
	row->parent = (int32_t)i - 1;
	row->visits = row->measured = 100;
	row->time = (struct selfmon_quantity){
		.verdict = SELFMON_EXACT, .visits = 100, .sum = sum,
		.min = min, .max = max, .net = net
	};
	report->rows = i + 1;
	return row;
}

/*
 * Makes a hundred queries, each with a parse of 20 us and an overhead of 2 us.
 * One query also has a thousand small visits, and an overhead of 1982 us. So the
 * mean overhead of a query is 21.8 us.
 */
static struct selfmon_report *queries(void)
{
	struct selfmon_report *const report = model_make(2);

	report->inner_ns = 12;
	set(report, 0, 99 * 22000 + 2100000, 21900, 2100000,
	    99 * 22000 + 2100000 - 100 * 21800);
	set(report, 1, 100 * 20012, 20012, 20012, 100 * 20000);
	detail[0] = (struct selfmon_row_detail){ .buckets = 2,
						 .bucket = parent_bucket };
	detail[1] = (struct selfmon_row_detail){ .buckets = 1,
						 .bucket = child_bucket };
	report->detail = detail;
	return report;
}

static void settle(struct selfmon_report *report)
{
	cr_assert_eq(selfmon_report_visit_times(report), 0);
	report->detail = NULL; /* the report must not free it */
}

Test(visit_times, of_a_leaf_are_without_its_own_ends)
{
	struct selfmon_report *const report = queries();

	settle(report);
	cr_assert_eq(report->row[1].p50_ns, 20000);
	cr_assert_eq(report->row[1].min_ns, 20000);
	cr_assert_eq(report->row[1].max_ns, 20000);
	cr_assert_eq(report->row[1].unsure, 0);
}

Test(visit_times, are_never_below_a_child_that_is_in_each_visit)
{
	struct selfmon_report *const report = queries();
	const struct selfmon_row *const row = &report->row[0];

	settle(report);
	cr_assert_geq(row->p50_ns, 20000, "%ju", (uintmax_t)row->p50_ns);
	cr_assert_geq(row->min_ns, 20000, "%ju", (uintmax_t)row->min_ns);
	cr_assert_geq(row->max_ns, 2000000, "%ju", (uintmax_t)row->max_ns);
	cr_assert_leq(row->p50_ns, row->p90_ns);
	cr_assert_leq(row->p90_ns, row->p99_ns);
}

Test(visit_times, are_no_more_than_the_visit_without_its_own_ends)
{
	struct selfmon_report *const report = queries();

	report->row[1].visits = report->row[1].measured = 1000;
	report->row[1].time.min = 500000; /* some are longer than a query */
	report->row[1].time.max = 500000;
	settle(report);
	cr_assert_leq(report->row[0].min_ns, 21900 - 12);
	cr_assert_leq(report->row[0].p50_ns, 22000 - 12);
}

Test(visit_times, that_are_mostly_overhead_are_marked)
{
	struct selfmon_report *const report = queries();

	report->rows = 1; /* no child gives a lower bound */
	report->row[0].time.net = 100 * 1000.;
	settle(report);
	cr_assert(report->row[0].unsure & SELFMON_UNSURE_P50);
	cr_assert(report->row[0].unsure & SELFMON_UNSURE_MIN);
	cr_assert_not(report->row[0].unsure & SELFMON_UNSURE_MAX);
	/* Less than the overhead of its own enter and leave. */
	report->row[0].time.min = 5;
	settle(report);
	cr_assert_eq(report->row[0].min_ns, 0);
	cr_assert(report->row[0].unsure & SELFMON_UNSURE_MIN);
}

Test(visit_times, that_are_unsure_have_a_mark_in_the_text)
{
	struct selfmon_report *const report = queries();
	char *text = NULL;
	size_t size;
	FILE *stream;

	report->row[0].time.min = 5;
	settle(report);
	stream = open_memstream(&text, &size);
	cr_assert_eq(selfmon_report_write(report, SELFMON_TEXT, stream), 0);
	fclose(stream);
	model_keep_text(text);
	cr_assert_not_null(strstr(text, " 0 ns?"), "%s", text);
}
