/* SPDX-License-Identifier: MIT */
/* Tests views: which rows they have, and that their sums are right. */
#include <errno.h>

#include "report/view_rows.h"
#include "unit/test_report_model.h"

TestSuite(report_view, .fini = model_free);

#define HAS(text, part) cr_assert_not_null(strstr(text, part), "%s", text)
#define LACKS(text, part) cr_assert_null(strstr(text, part), "%s", text)

static struct selfmon_viewed viewed;

/* Returns the rows of a view; close_view() frees them. */
static const struct selfmon_report *view_of(const struct selfmon_report *report,
					    const char *options)
{
	struct selfmon_view view = { .flat = false };
	char message[SELFMON_VIEW_MESSAGE_SIZE] = "";
	size_t n;

	for (; *options; options += n + (options[n] == ';')) {
		n = strcspn(options, ";");
		cr_assert_eq(selfmon_view_option(&view, options, n, message), 0,
			     "%s", message);
	}
	cr_assert_eq(selfmon_view_make(&view, report, 0, 0, &viewed), 0);
	return viewed.report;
}

static void close_view(void)
{
	selfmon_view_free(&viewed);
}

static const struct selfmon_row *row_named(const struct selfmon_report *report,
					   const char *name)
{
	const struct selfmon_row *found = NULL;
	size_t i;

	for (i = 0; i < report->rows; i++)
		if (!strcmp(report->row[i].name, name)) {
			cr_assert_null(found, "%s is there twice", name);
			found = &report->row[i];
		}
	cr_assert_not_null(found, "no row %s", name);
	return found;
}

static void check_row(const struct selfmon_report *report, const char *name,
		      uint64_t visits, double net, double self)
{
	const struct selfmon_row *const row = row_named(report, name);

	cr_assert_eq(row->visits, visits, "%s: %lu visits", name,
		     (unsigned long)row->visits);
	cr_assert_float_eq(row->time.net, net, 1e-3, "%s: %g", name,
			   row->time.net);
	cr_assert_float_eq(row->time.net_exclusive, self, 1e-3, "%s: self %g",
			   name, row->time.net_exclusive);
}

/*
 * Checks that each row is the sum of its self value and its children, and that
 * all self values add up to the whole.
 */
static void check_sums(const struct selfmon_report *report)
{
	double self = 0, children;
	size_t i, k;

	for (i = 0; i < report->rows; i++) {
		const struct selfmon_row *const row = &report->row[i];

		self += row->time.net_exclusive;
		children = 0;
		for (k = 0; k < report->rows; k++)
			if (report->row[k].parent == (int32_t)i)
				children += report->row[k].time.net;
		if (children > 0)
			cr_assert_float_eq(row->time.net,
					   row->time.net_exclusive + children,
					   1e-3, "%s", row->name);
	}
	cr_assert_float_eq(self, report->total_ns, 1e-3);
}

/*
 * Makes the paths main > a > b > a > b, and main > b. One counter is
 * proportional to time.
 */
static struct selfmon_report *recursive(void)
{
	static const struct {
		int32_t parent;
		const char *name;
		uint64_t visits;
		double ns, self;
	} row[] = {
		{ -1, "main", 1, 1000, 100 }, { 0, "a", 2, 700, 200 },
		{ 1, "b", 3, 500, 150 },      { 2, "a", 4, 350, 300 },
		{ 3, "b", 5, 50, 50 },	      { 0, "b", 6, 200, 200 },
	};
	struct selfmon_report *report = model_make(6);
	size_t i;

	model_column(report, "cycles", SELFMON_EXACT);
	for (i = 0; i < 6; i++) {
		struct selfmon_row *const to =
			model_row(report, row[i].parent, row[i].name,
				  row[i].visits, row[i].ns, row[i].self);

		model_counter(to, 0, SELFMON_EXACT, 3 * row[i].ns);
		to->blocked_ns = (uint64_t)row[i].ns / 10;
		to->samples = (uint64_t)row[i].self / 10;
		to->samples_within = (uint64_t)row[i].ns / 10;
	}
	return report;
}

Test(report_view, flat_counts_recursion_once)
{
	const struct selfmon_report *report = view_of(recursive(), "flat");

	cr_assert_eq(report->rows, 3);
	check_row(report, "main", 1, 1000, 100);
	check_row(report, "a", 6, 700, 500);
	check_row(report, "b", 14, 700, 400);
	cr_assert_float_eq(row_named(report, "b")->counter[0].net, 2100, 1e-3);
	cr_assert_eq(row_named(report, "a")->blocked_ns, 70);
	cr_assert_eq(row_named(report, "b")->blocked_ns, 70);
	cr_assert_eq(row_named(report, "b")->samples, 40);
	cr_assert_eq(row_named(report, "b")->samples_within, 70);
	cr_assert_str_eq(report->row[0].name, "a", "by self time");
	cr_assert_eq(report->row[1].depth, 0);
	cr_assert_eq(report->row[1].parent, -1);
	close_view();
}

/*
 * In a > b > a > b, the inner a is merged into the outer a, so its time is
 * subtracted from the b between them. The inner b is then directly below the
 * outer a, and is added to that b.
 */
Test(report_view, collapse_merges_recursion_and_sums_hold)
{
	const struct selfmon_report *report = view_of(recursive(), "collapse");

	cr_assert_eq(report->rows, 4);
	check_sums(report);
	check_row(report, "a", 6, 700, 500);
	cr_assert_str_eq(report->row[0].name, "main");
	cr_assert_str_eq(report->row[2].name, "b");
	cr_assert_eq(report->row[2].visits, 8);
	cr_assert_float_eq(report->row[2].time.net, 200, 1e-3);
	cr_assert_float_eq(report->row[3].time.net, 200, 1e-3);
	close_view();
}

Test(report_view, histograms_of_one_name_are_one)
{
	struct selfmon_report *const report = recursive();
	const struct selfmon_row *row;
	size_t i;

	report->calibrated = false;
	report->inner_ns = 0;
	report->detail = calloc(report->rows, sizeof(*report->detail));
	for (i = 0; i < report->rows; i++) {
		report->detail[i].bucket = calloc(1, sizeof(struct selfmon_row_bucket));
		report->detail[i].buckets = 1;
		report->detail[i].bucket[0].ns = i == 5 ? 33 : 10;
		report->detail[i].bucket[0].visits = report->row[i].visits;
		report->row[i].time.sum = (uint64_t)report->row[i].time.net;
		report->row[i].time.min = 1;
		report->row[i].time.max = 1000;
	}
	row = row_named(view_of(report, "flat"), "b");
	cr_assert_eq(row->p50_ns, 10);
	cr_assert_eq(row->p90_ns, 33);
	row = row_named(viewed.report, "main");
	cr_assert_eq(row->p90_ns, report->row[0].p90_ns, "as it was");
	close_view();
}

Test(report_view, depth_leaves_out_what_is_deeper)
{
	const struct selfmon_report *report = view_of(recursive(), "depth=2");

	cr_assert_eq(report->rows, 3);
	cr_assert_eq(viewed.left_out, 3);
	check_row(report, "a", 2, 700, 200);
	close_view();
}

Test(report_view, small_shares_are_one_row_below_each_parent)
{
	const struct selfmon_report *report =
		view_of(recursive(), "min-share=36");

	cr_assert_eq(report->rows, 5);
	check_sums(report);
	check_row(report, "main", 1, 1000, 100);
	check_row(report, "others (2)", 4, 350, 350);
	check_row(report, "others (1)", 6, 200, 200);
	cr_assert_eq(viewed.folded, 3);
	cr_assert_str_eq(report->row[4].name, "others (1)", "the last");
	cr_assert_float_eq(report->row[4].counter[0].net, 600, 1e-3);
	close_view();
}

Test(report_view, top_folds_the_rest)
{
	const struct selfmon_report *report =
		view_of(recursive(), "flat;top=1;sort=visits");

	cr_assert_eq(report->rows, 2);
	check_row(report, "b", 14, 700, 400);
	/*
	 * In a flat view, rows contain each other, so the folded row sums self
	 * values.
	 */
	check_row(report, "others (2)", 7, 600, 600);
	close_view();
	report = view_of(recursive(), "top=2");
	cr_assert_eq(report->rows, 4);
	check_sums(report);
	check_row(report, "others (3)", 3, 500, 500);
	close_view();
}

Test(report_view, top_0_is_all)
{
	cr_assert_eq(view_of(recursive(), "top=0")->rows, 6);
	close_view();
}

Test(report_view, sorts_siblings_by_any_column)
{
	static const struct {
		const char *options, *first;
	} sorted[] = {
		{ "", "split" },	  { "sort=total", "split" },
		{ "sort=visits", "count words" }, { "sort=name", "count words" },
		{ "sort=mean", "sort" },
		{ "sort=branch-misses", "count words" },
		{ "sort=IPC", "split" },
		{ "sort=cache-misses MPKI", "count words" },
	};
	size_t i;

	for (i = 0; i < sizeof(sorted) / sizeof(sorted[0]); i++) {
		struct selfmon_report *const report = model_counters();
		const struct selfmon_report *made;
		size_t k = 0;

		report->row[1].visits--;
		made = view_of(report, sorted[i].options);
		cr_assert_eq(made->rows, 5);
		while (made->row[k].parent < 0)
			k++;
		cr_assert_str_eq(made->row[k].name, sorted[i].first, "%s: %s",
				 sorted[i].options, made->row[k].name);
		close_view();
	}
}

Test(report_view, find_keeps_matches_and_what_is_around_them)
{
	const struct selfmon_report *report =
		view_of(model_counters(), "find=^(sort|print)$");

	cr_assert_eq(report->rows, 3);
	check_row(report, "main", 1, 1.21e9, 3.1e6);
	check_row(report, "sort", 1, 107e6, 107e6);
	check_row(report, "print", 1, 51e3, 51e3);
	cr_assert_eq(viewed.left_out, 2);
	close_view();
	cr_assert_eq(view_of(model_counters(), "find=none such")->rows, 0);
	close_view();
}

Test(report_view, every_writer_writes_it)
{
	struct selfmon_report *const report = model_counters();
	const char *text = model_viewed(report, SELFMON_TEXT, "flat;top=2");

	HAS(text, "\nothers (3)  ");
	HAS(text, "\n2 of 5 rows; \"others (N)\" is the sum of N rows\n");
	text = model_viewed(report, SELFMON_JSON, "flat;top=2");
	HAS(text, "\"name\": \"others (3)\", \"file\": \"\", \"line\": 0, "
		  "\"folded\": 3, ");
	LACKS(text, "\"folded\": 1");
	HAS(model_viewed(report, SELFMON_CSV, "flat;top=2"), "\"others (3)\",");
}

/* Returns the sentence about rows that are not shown, without line breaks. */
static const char *hidden_of(struct selfmon_report *report, const char *options)
{
	char *const text = model_viewed(report, SELFMON_TEXT, options);
	char *const from = strstr(text, " rows; "), *end, *at;

	cr_assert_not_null(from, "%s: %s", options, text);
	end = strstr(from, "\n\n");
	if (end)
		*end = '\0';
	for (at = from; *at; at++)
		if (*at == '\n')
			*at = ' ';
	return from;
}

Test(report_view, text_says_which_options_hide_rows)
{
	struct selfmon_report *const report = model_counters();
	struct selfmon_report *const large = model_make(SELFMON_VIEW_ROWS + 2);
	size_t i;

	HAS(hidden_of(report, "depth=1"), " rows; 3 are not shown, by depth; "
					  "all rows: without depth");
	HAS(hidden_of(report, "find=^sort$"), " rows; 3 are not shown, by find; "
					      "all rows: without find");
	HAS(hidden_of(report, "find=sort;depth=1"),
	    " rows; 4 are not shown, by depth or find; all rows: without depth "
	    "and find");
	LACKS(hidden_of(report, "flat;top=2"), "all rows");

	model_row(large, -1, "main", 1, 1e9, 1e6);
	for (i = 0; i < SELFMON_VIEW_ROWS; i++)
		model_row(large, 0, "inner", 1, 1e3, 1e3);
	HAS(hidden_of(large, "depth=1"),
	    " rows; 60 are not shown, by depth; all rows: "
	    "SELFMON_OUTPUT='text:-;top=0', or selfmon report --top 0, without "
	    "depth");
	HAS(hidden_of(large, "min-share=1"), "--top 0, without min-share");
}

Test(report_view, json_and_csv_without_options_are_the_report)
{
	struct selfmon_report *const report = model_hostile();

	cr_assert_str_eq(model_viewed(report, SELFMON_JSON, ""),
			 model_written(report, SELFMON_JSON));
	LACKS(model_written(report, SELFMON_JSON), "others (");
	LACKS(model_written(report, SELFMON_CSV), "others (");
}

Test(report_view, columns_are_those_named)
{
	struct selfmon_report *const report = model_counters();
	const char *text = model_viewed(report, SELFMON_TEXT,
					"columns=total+self+cycles+IPC");

	HAS(text, "\nregion           total      self\n");
	HAS(text, "\nregion         cycles     IPC\n");
	text = model_viewed(report, SELFMON_TEXT, "columns=cache-misses MPKI");
	LACKS(text, "visits     ");
	HAS(text, "MPKI\n");
	text = model_viewed(report, SELFMON_CSV, "columns=IPC");
	HAS(text, "cycles.sum");
	HAS(text, "instructions.sum");
	LACKS(text, "branch-misses");
	text = model_viewed(report, SELFMON_JSON, "columns=cache-misses");
	HAS(text, "{\"name\": \"cache-misses\", \"verdict\": \"exact\"");
	LACKS(text, "\"name\": \"cycles\"");
}

static const char *refusal(const char *option)
{
	static char message[SELFMON_VIEW_MESSAGE_SIZE];
	struct selfmon_view view = { .flat = false };

	cr_assert_eq(selfmon_view_option(&view, option, strlen(option),
					 message), -EINVAL, "%s", option);
	return message;
}

Test(report_view, an_option_that_is_wrong_is_named_with_what_is_allowed)
{
	HAS(refusal("flatt"), "unknown option 'flatt' (did you mean 'flat'?); "
			      "flat, collapse, threads, depth=N, ");
	HAS(refusal("zzzz"), "unknown option 'zzzz'; flat, collapse, ");
	HAS(refusal("top=-1"), "top=-1: 0 to 1000000 are allowed (0: all)");
	HAS(refusal("top=1000001"), "top=1000001: 0 to 1000000 are allowed");
	HAS(refusal("top=99999999999999999999"), "allowed");
	HAS(refusal("top="), "top=: 0 to 1000000 are allowed");
	HAS(refusal("top"), "top: its value is missing");
	HAS(refusal("depth=0"), "depth=0: 1 to 1000000 are allowed");
	HAS(refusal("flat=1"), "flat=1: flat takes no value");
	HAS(refusal("min-share=101"), "min-share=101: 0 to 100 are allowed "
				      "(percent");
	HAS(refusal("min-share=1.2.3"), "allowed");
	HAS(refusal("min-share=."), "allowed");
	HAS(refusal("find=("), "find=(: not a regular expression (regex(7)): ");
	HAS(refusal("sort="), "sort=: 1 to ");
}

Test(report_view, a_column_that_is_not_there_is_named_with_those_that_are)
{
	struct selfmon_report *const report = model_counters();
	struct selfmon_view view = { .sort = "cycels",
				     .columns = "self+IPX" };
	char message[SELFMON_VIEW_MESSAGE_SIZE];

	cr_assert_eq(selfmon_view_check(&view, report, message), -EINVAL);
	HAS(message, "sort=cycels: no such column (did you mean 'cycles'?); "
		     "these exist: visits, total, ");
	cr_assert_eq(selfmon_view_check(&view, report, message), -EINVAL);
	HAS(message, "columns=IPX: no such column (did you mean 'IPC'?)");
	HAS(message, ", cache-misses, GHz, ");
	cr_assert_eq(selfmon_view_check(&view, report, message), 0);
}

Test(report_view, a_share_is_percent_with_a_point)
{
	struct selfmon_view view = { .flat = false };
	char message[SELFMON_VIEW_MESSAGE_SIZE];

	cr_assert_eq(selfmon_view_option(&view, "min-share=1.25%", 15, message),
		     0);
	cr_assert_float_eq(view.min_share, 0.0125, 1e-12);
}

/* ---- a page ---------------------------------------------------------------- */

static const char *page_of(size_t rows, size_t columns)
{
	static char name[2000][16];
	struct selfmon_report *const report = model_make(rows);
	size_t i, k;

	for (k = 0; k < columns; k++)
		model_column(report, k ? "page-faults" : "cycles",
			     SELFMON_EXACT);
	for (i = 0; i < rows; i++) {
		struct selfmon_row *row;

		snprintf(name[i], sizeof(name[i]), "function %zu", i);
		row = model_row(report, -1, name[i], 2, 1e6 / (double)(i + 1),
				1e6 / (double)(i + 1));
		for (k = 0; k < columns; k++)
			model_counter(row, k, SELFMON_EXACT, 1000);
	}
	return model_written(report, SELFMON_TEXT);
}

static size_t lines_of_view(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

Test(report_view, text_is_a_page_and_says_so)
{
	const char *text = page_of(60, 0);

	HAS(text, "\nfunction 59 ");
	LACKS(text, "others (");
	text = page_of(1773, 0);
	cr_assert_leq(lines_of_view(text), 100);
	HAS(text, "\nfunction 0 ");
	HAS(text, "\nothers (1722) ");
	HAS(text, "\n51 of 1773 rows; \"others (N)\" is the sum of N rows; all "
		  "rows:");
	HAS(text, "top=0'");
	HAS(text, "--top 0\n");
	HAS(text, "\nMost self time, by name (");
	cr_assert_leq(lines_of_view(page_of(1773, 2)), 100);
}

Test(report_view, columns_do_not_vanish_because_names_are_long)
{
	struct selfmon_report *const report = model_make(1);
	const char *text;

	model_row(report, -1, "a name of a region that is longer than the "
			      "columns that there are for names", 2, 9e6, 9e6);
	text = model_written(report, SELFMON_TEXT);
	HAS(text, "     min     max\n");
	HAS(text, "\na name of a region\xe2\x80\xa6" "ere are for names  ");
}

Test(report_view, one_visit_has_no_percentiles)
{
	struct selfmon_report *const report = model_make(2);
	const char *text;

	model_row(report, -1, "once", 1, 9e6, 9e6);
	model_row(report, -1, "twice", 2, 8e6, 8e6);
	text = model_written(report, SELFMON_TEXT);
	HAS(text, "\nonce               1  9.000 ms  52.9% 9.000 ms  9.00 ms\n");
	HAS(text, " 4.00 ms 4.00 ms 8.00 ms 10.0 ms ");
}

Test(report_view, rows_without_values_leave_a_table)
{
	struct selfmon_report *const report = model_make(2);
	const char *text, *second;

	model_row(report, -1, "copy", 2, 9e6, 9e6)->bytes = 1000;
	model_row(report, -1, "think", 2, 8e6, 8e6);
	text = model_written(report, SELFMON_TEXT);
	HAS(text, "ns/byte      GB/s\ncopy ");
	LACKS(text, "- not counted");
	HAS(text, "\nthink");
	second = strstr(strstr(text, "\nthink") + 1, "\nthink");
	cr_assert_null(second, "a row of think in the metrics");
}
