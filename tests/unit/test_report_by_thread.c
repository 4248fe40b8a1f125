/* SPDX-License-Identifier: MIT */
/* Tests views of rows by thread, and the output of each writer. */
#include <errno.h>

#include "report/apart.h"
#include "report/view_rows.h"
#include "unit/test_report_model.h"

TestSuite(report_by_thread, .fini = model_free);

#define HAS(text, part) cr_assert_not_null(strstr(text, part), "%s", text)
#define LACKS(text, part) cr_assert_null(strstr(text, part), "%s", text)

static struct selfmon_viewed viewed;

static const struct selfmon_report *view_of(const struct selfmon_report *report,
					    const char *options)
{
	struct selfmon_view view = { .threads = false };
	char message[SELFMON_VIEW_MESSAGE_SIZE] = "";
	size_t n;

	for (; *options; options += n + (options[n] == ';')) {
		n = strcspn(options, ";");
		cr_assert_eq(selfmon_view_option(&view, options, n, message), 0,
			     "%s", message);
	}
	cr_assert_eq(selfmon_view_check(&view, report, message), 0, "%s",
		     message);
	cr_assert_eq(selfmon_view_make(&view, report, 0, 0, &viewed), 0);
	return viewed.report;
}

static void close_view(void)
{
	selfmon_view_free(&viewed);
}

/*
 * Makes a report with two threads, "a 7" and "c 8". The first one has a region
 * of the same name.
 */
static struct selfmon_report *by_thread(void)
{
	static const struct {
		int32_t parent;
		const char *name;
		uint64_t visits;
		double ns, self;
		uint32_t tid;
	} row[] = {
		{ -1, "a 7", 2, 700, 0, 7 }, { 0, "a 7", 2, 700, 300, 0 },
		{ 1, "b", 4, 400, 400, 0 },  { -1, "c 8", 3, 300, 0, 8 },
		{ 3, "b", 3, 300, 300, 0 },
	};
	struct selfmon_report *const report = model_make(5);
	size_t i;

	report->calibrated = false;
	report->inner_ns = 0;
	report->detail = calloc(5, sizeof(*report->detail));
	for (i = 0; i < 5; i++) {
		model_row(report, row[i].parent, row[i].name, row[i].visits,
			  row[i].ns, row[i].self)
			->file = "";
		report->detail[i].thread.tid = row[i].tid;
		report->detail[i].thread.threads = row[i].tid > 0;
	}
	return report;
}

static void check_row(size_t i, const char *name, uint64_t visits, double net,
		      double self)
{
	const struct selfmon_row *const row = &viewed.report->row[i];

	cr_assert_lt(i, viewed.report->rows);
	cr_assert_str_eq(row->name, name, "row %zu: %s", i, row->name);
	cr_assert_eq(row->visits, visits, "%s: %lu visits", name,
		     (unsigned long)row->visits);
	cr_assert_float_eq(row->time.net, net, 1e-3, "%s: %g", name,
			   row->time.net);
	cr_assert_float_eq(row->time.net_exclusive, self, 1e-3, "%s: self %g",
			   name, row->time.net_exclusive);
}

static void check_is_thread(size_t i, bool wanted)
{
	cr_assert_eq(selfmon_row_is_thread(viewed.report, i), wanted, "row %zu",
		     i);
}

Test(report_by_thread, flat_is_of_all_threads)
{
	cr_assert_eq(view_of(by_thread(), "flat")->rows, 2);
	check_row(0, "b", 7, 700, 700);
	check_row(1, "a 7", 2, 700, 300);
	check_is_thread(1, false);
	close_view();
}

Test(report_by_thread, flat_by_thread_is_below_each)
{
	cr_assert_eq(view_of(by_thread(), "flat;threads")->rows, 5);
	check_row(0, "a 7", 2, 700, 0);
	check_is_thread(0, true);
	check_row(1, "b", 4, 400, 400);
	check_row(2, "a 7", 2, 700, 300);
	check_is_thread(2, false);
	check_row(3, "c 8", 3, 300, 0);
	check_is_thread(3, true);
	check_row(4, "b", 3, 300, 300);
	close_view();
}

Test(report_by_thread, a_region_does_not_collapse_into_a_thread_of_its_name)
{
	cr_assert_eq(view_of(by_thread(), "collapse;threads")->rows, 5);
	check_row(0, "a 7", 2, 700, 0);
	check_is_thread(0, true);
	check_row(1, "a 7", 2, 700, 300);
	check_is_thread(1, false);
	check_row(2, "b", 4, 400, 400);
	close_view();
}

Test(report_by_thread, threads_are_folded_with_their_regions)
{
	cr_assert_eq(view_of(by_thread(), "threads;top=1")->rows, 3);
	check_row(0, "a 7", 2, 700, 0);
	check_is_thread(0, true);
	check_row(1, "others (2)", 2, 700, 700);
	check_row(2, "others (2)", 3, 300, 300);
	check_is_thread(2, false);
	close_view();
	view_of(by_thread(), "threads;flat;top=2");
	check_row(0, "a 7", 2, 700, 0);
	check_row(1, "b", 4, 400, 400);
	check_row(2, "others (1)", 2, 300, 300);
	check_row(3, "others (2)", 3, 300, 300);
	close_view();
}

Test(report_by_thread, depth_and_share_count_threads_as_a_level)
{
	cr_assert_eq(view_of(by_thread(), "threads;depth=1")->rows, 2);
	check_row(1, "c 8", 3, 300, 0);
	close_view();
	cr_assert_eq(view_of(by_thread(), "threads;min-share=35")->rows, 4);
	check_row(3, "others (2)", 3, 300, 300);
	close_view();
	view_of(by_thread(), "threads;sort=visits");
	check_row(0, "c 8", 3, 300, 0);
	close_view();
}

/* The rows by thread are stored in a second report, report->apart. */
Test(report_by_thread, the_option_takes_them_from_beside_the_report)
{
	struct selfmon_report *const report = model_time();
	struct selfmon_report *const apart = by_thread();

	report->apart = apart;
	cr_assert_eq(view_of(report, "threads")->rows, 5);
	close_view();
	cr_assert_eq(view_of(report, "")->rows, 3);
	close_view();
	LACKS(model_viewed(report, SELFMON_JSON, ""), "\"thread\"");
	LACKS(model_viewed(report, SELFMON_CSV, ""), ",thread,");
	LACKS(model_viewed(report, SELFMON_TEXT, ""), "c 8");
	HAS(model_viewed(report, SELFMON_TEXT, "threads"), "c 8");
	report->apart = NULL; /* the test frees it separately */
}

Test(report_by_thread, a_report_that_has_none_says_how_to_get_them)
{
	char message[SELFMON_VIEW_MESSAGE_SIZE] = "";
	struct selfmon_view view = { .threads = true };

	cr_assert_eq(selfmon_view_check(&view, model_time(), message), -EINVAL);
	HAS(message, "threads: this report has no rows by thread: ");
	HAS(message, "SELFMON_OUTPUT='json:FILE;threads'");
	cr_assert(!view.threads);
	cr_assert_eq(selfmon_view_option(&view, "threads=2", 9, message),
		     -EINVAL);
	HAS(message, "threads takes no value");
	cr_assert(!view.threads);
}

/*
 * A thread has no self time, and the mean of its visits would have no meaning.
 */
Test(report_by_thread, text_leaves_out_what_a_thread_has_not)
{
	const char *const text =
		model_viewed(by_thread(), SELFMON_TEXT, "threads");

	HAS(text, "\nc 8                3  300.0 ns  30.0%\n");
	HAS(text, "\n  b                3  300.0 ns  30.0% 300.0 ns   100 ns");
	LACKS(text, "other threads");
}

Test(report_by_thread, json_and_csv_tell_threads_from_regions)
{
	const char *text = model_viewed(by_thread(), SELFMON_JSON, "threads");

	HAS(text, "\"name\": \"a 7\", \"file\": \"\", \"line\": 10, "
		  "\"thread\": 7, \"threads\": 1");
	HAS(text, "\"name\": \"a 7\", \"file\": \"\", \"line\": 20, "
		  "\"threads\": 1");
	text = model_viewed(by_thread(), SELFMON_CSV, "threads");
	HAS(text, ",bytes,items,thread,time_ns.verdict,");
	HAS(text, ",0,0,8,exact,");
	HAS(text, "\"c 8/b\",\"b\",1,3,\"\",50,1,3,3,0,0,0,0,0,0,0,0,0,0,0,0,"
		  "1,3,0,0,,exact,");
}

/* The page lists the eight names with the most self time of all threads. */
Test(report_by_thread, a_page_names_the_hot_ones_of_all_threads)
{
	struct selfmon_report *const report = model_make(2 * 50);
	static char name[50][32];
	size_t i;
	const char *text;

	report->detail = calloc(2 * 50, sizeof(*report->detail));
	for (i = 0; i < 50; i++) {
		snprintf(name[i], sizeof(name[i]), "worker %zu", i);
		model_row(report, -1, name[i], 1, 1000, 0)->file = "";
		report->detail[report->rows - 1].thread.tid = 100;
		report->detail[report->rows - 1].thread.threads = 1;
		model_row(report, (int32_t)report->rows - 1, "work", 1, 1000,
			  1000);
	}
	text = model_viewed(report, SELFMON_TEXT, "threads");
	HAS(text, "of 100 rows; \"others (N)\" is the sum of N rows");
	HAS(text, "\nwork              50  50.00 us   100% 50.00 us");
}
