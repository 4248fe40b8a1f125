/* SPDX-License-Identifier: MIT */
/* Tests finding a row of a report by its path. */
#include "test_report_model.h"

TestSuite(report_find, .fini = model_free);

/*
 * a        row 0
 *   b      row 1
 *     c    row 2
 * b        row 3
 * a        row 4, at another source line
 *   d      row 5
 *     c    row 6
 *   b      row 7
 */
static struct selfmon_report *report_of_twins(void)
{
	struct selfmon_report *const report = model_make(8);

	model_row(report, -1, "a", 1, 100, 100);
	model_row(report, 0, "b", 1, 100, 100);
	model_row(report, 1, "c", 1, 100, 100);
	model_row(report, -1, "b", 1, 100, 100);
	model_row(report, -1, "a", 1, 100, 100);
	model_row(report, 4, "d", 1, 100, 100);
	model_row(report, 5, "c", 1, 100, 100);
	model_row(report, 4, "b", 1, 100, 100);
	return report;
}

/* Returns the number of the row, or -1 if there is none. */
static long find(const struct selfmon_report *report, size_t depth,
		 const char *a, const char *b, const char *c)
{
	const char *const path[] = { a, b, c };
	const struct selfmon_row *const row =
		selfmon_report_find(report, path, depth);

	return row ? row - selfmon_report_row(report, 0) : -1;
}

Test(report_find, goes_from_the_top_level_down)
{
	const struct selfmon_report *const report = report_of_twins();

	cr_assert_eq(find(report, 1, "a", NULL, NULL), 0);
	cr_assert_eq(find(report, 2, "a", "b", NULL), 1);
	cr_assert_eq(find(report, 3, "a", "b", "c"), 2);
	cr_assert_eq(find(report, 1, "b", NULL, NULL), 3);
}

Test(report_find, looks_below_each_of_the_regions_of_one_name)
{
	const struct selfmon_report *const report = report_of_twins();

	cr_assert_eq(find(report, 2, "a", "d", NULL), 5);
	cr_assert_eq(find(report, 3, "a", "d", "c"), 6);
}

Test(report_find, finds_nothing_that_is_not_at_the_very_place)
{
	const struct selfmon_report *const report = report_of_twins();

	cr_assert_eq(find(report, 1, "c", NULL, NULL), -1);
	cr_assert_eq(find(report, 1, "d", NULL, NULL), -1);
	cr_assert_eq(find(report, 2, "a", "c", NULL), -1);
	cr_assert_eq(find(report, 2, "b", "c", NULL), -1);
	cr_assert_eq(find(report, 3, "a", "b", "b"), -1);
}

Test(report_find, finds_nothing_by_no_path_or_in_no_rows)
{
	cr_assert_null(selfmon_report_find(report_of_twins(), NULL, 0));
	cr_assert_eq(find(model_make(0), 1, "a", NULL, NULL), -1);
}
