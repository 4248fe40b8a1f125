/* SPDX-License-Identifier: MIT */
/* Tests regions of one thread: the tree, its values, and wrong input. */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "session/thread.h"
#include "store/config.h"
#include "store/process.h"
#include "rows.h"
#include "store/state.h"

static void leaf(void)
{
	SELFMON_REGION("leaf")
	{
	}
}

static void recurse(int depth)
{
	SELFMON_SCOPE("recurse");
	if (depth > 1)
		recurse(depth - 1);
}

Test(region, counts_each_path_of_the_call_tree_apart)
{
	struct selfmon_report *report;
	int i;

	for (i = 0; i < 3; i++)
		leaf();
	SELFMON_REGION("outer")
	{
		for (i = 0; i < 5; i++)
			leaf();
	}
	report = rows_take();
	rows_check(report);
	cr_assert_eq(ROWS_GET(report, "leaf")->visits, 3);
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "outer", "leaf")->visits, 5);
	cr_assert_eq(selfmon_report_row_count(report), 3);
	selfmon_report_free(report);
}

Test(region, exclusive_is_inclusive_less_the_children)
{
	struct selfmon_report *report;
	const struct selfmon_row *outer;
	int i;

	SELFMON_REGION("outer")
	{
		for (i = 0; i < 1000; i++)
			leaf();
		SELFMON_REGION("other")
		{
		}
	}
	report = rows_take();
	outer = ROWS_GET(report, "outer");
	cr_assert(outer->exclusive_valid);
	cr_assert_eq((uint64_t)outer->time.exclusive +
			     ROWS_GET(report, "outer", "leaf")->time.sum +
			     ROWS_GET(report, "outer", "other")->time.sum,
		     outer->time.sum);
	cr_assert_geq(outer->time.exclusive, 0);
	selfmon_report_free(report);
}

Test(region, recursion_is_a_path_of_its_own_at_each_depth)
{
	struct selfmon_report *report;

	recurse(3);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "recurse", "recurse", "recurse")->visits,
		     1);
	cr_assert_eq(selfmon_report_row_count(report), 3);
	selfmon_report_free(report);
}

Test(region, deeper_than_the_cap_is_counted_and_not_measured)
{
	const struct selfmon_row *row;
	struct selfmon_report *report;
	uint64_t visits = 0;
	size_t i;

	recurse(SELFMON_DEPTH_MAX + 100);
	report = rows_take();
	cr_assert_eq(selfmon_report_row_count(report), SELFMON_DEPTH_MAX);
	for (i = 0; (row = selfmon_report_row(report, i)); i++)
		visits += row->visits;
	cr_assert_eq(visits, SELFMON_DEPTH_MAX);
	cr_assert_eq(selfmon_thread_attach()->record->too_deep, 100);
	selfmon_report_free(report);
}

Test(region, two_hundred_levels_are_measured)
{
	struct selfmon_report *report;

	recurse(200);
	report = rows_take();
	cr_assert_eq(selfmon_report_row_count(report), 200);
	cr_assert_eq(selfmon_report_row(report, 199)->depth, 199);
	cr_assert_eq(selfmon_report_row(report, 199)->visits, 1);
	selfmon_report_free(report);
}

Test(region, ten_thousand_distinct_regions_are_kept_apart)
{
	struct selfmon_report *report;
	char name[32];
	size_t i;

	for (i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "region %zu", i);
		SELFMON_REGION_OF(selfmon_region(name))
		{
		}
	}
	report = rows_take();
	cr_assert_eq(selfmon_report_row_count(report), 10000);
	for (i = 0; i < 10000; i++)
		cr_assert_eq(selfmon_report_row(report, i)->visits, 1);
	selfmon_report_free(report);
}

Test(region, a_name_of_ten_thousand_bytes_is_kept_whole)
{
	struct selfmon_report *report;
	char name[10001];

	memset(name, 'n', 10000);
	name[10000] = '\0';
	SELFMON_REGION_OF(selfmon_region(name))
	{
	}
	memset(name, 'x', 10000); /* the library has its own copy */
	report = rows_take();
	cr_assert_eq(strlen(selfmon_report_row(report, 0)->name), 10000);
	cr_assert_eq(selfmon_report_row(report, 0)->name[9999], 'n');
	selfmon_report_free(report);
}

Test(region, null_and_empty_names_are_one_unnamed_region)
{
	struct selfmon_report *report;

	cr_assert_eq(selfmon_region(NULL), selfmon_region(""));
	SELFMON_REGION_OF(selfmon_region(NULL))
	{
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "(unnamed)")->visits, 1);
	selfmon_report_free(report);
}

Test(region, the_same_name_gives_the_same_handle)
{
	cr_assert_eq(selfmon_region("a"), selfmon_region("a"));
	cr_assert_neq(selfmon_region("a"), selfmon_region("b"));
}

Test(region, a_handle_gives_its_name_back)
{
	char name[] = "made at run time";
	struct selfmon_region *const handle = selfmon_region(name);

	name[0] = 'f'; /* the library has its own copy */
	cr_assert_str_eq(selfmon_region_name(handle), "made at run time");
	cr_assert_str_eq(selfmon_region_name(selfmon_region("")), "(unnamed)");
	cr_assert_str_eq(selfmon_region_name(NULL), "");
}

Test(region, a_null_handle_measures_nothing)
{
	struct selfmon_report *report;
	struct selfmon_frame frame;
	int turns = 0;

	selfmon_enter(NULL, &frame);
	selfmon_leave(&frame);
	SELFMON_REGION_OF(NULL)
	{
		turns++;
	}
	cr_assert_eq(turns, 1);
	report = rows_take();
	cr_assert_eq(selfmon_report_row_count(report), 0);
	selfmon_report_free(report);
}

Test(region, a_second_leave_of_a_frame_does_nothing)
{
	struct selfmon_region *handle = selfmon_region("span");
	struct selfmon_report *report;
	struct selfmon_frame frame;

	selfmon_enter(handle, &frame);
	selfmon_leave(&frame);
	selfmon_leave(&frame);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "span")->visits, 1);
	cr_assert(rows_say(report, SELFMON_JSON, "\"stale\": 0,"));
	selfmon_report_free(report);
}

static void begin_and_end(void)
{
	SELFMON_BEGIN(tag, "tagged");
	SELFMON_END(tag);
}

Test(region, an_end_is_not_made_again_by_the_end_of_the_block)
{
	struct selfmon_report *report;

	begin_and_end();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "tagged")->visits, 1);
	cr_assert(rows_say(report, SELFMON_JSON, "\"stale\": 0,"));
	selfmon_report_free(report);
}

Test(region, spans_that_overlap_become_siblings)
{
	struct selfmon_region *a = selfmon_region("a");
	struct selfmon_region *b = selfmon_region("b");
	struct selfmon_frame first, second;
	struct selfmon_report *report;
	int i;

	SELFMON_REGION("parent")
	{
		for (i = 0; i < 1000; i++) {
			selfmon_enter(a, &first);
			selfmon_enter(b, &second);
			selfmon_leave(&first);
			selfmon_leave(&second);
		}
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "parent", "a")->visits, 1000);
	cr_assert_eq(ROWS_GET(report, "parent", "b")->visits, 1000);
	cr_assert_null(ROWS_FIND(report, "parent", "a", "b"));
	cr_assert_not(ROWS_GET(report, "parent")->exclusive_valid);
	cr_assert_eq(ROWS_GET(report, "parent")->overlapped, 1000);
	selfmon_report_free(report);
}

Test(region, spans_that_overlap_for_ever_do_not_pile_up)
{
	struct selfmon_region *handle = selfmon_region("rolling");
	struct selfmon_frame frame[2];
	struct selfmon_report *report;
	int i;

	selfmon_enter(handle, &frame[0]);
	for (i = 1; i < 10000; i++) {
		selfmon_enter(handle, &frame[i % 2]);
		selfmon_leave(&frame[(i + 1) % 2]);
	}
	selfmon_leave(&frame[(i + 1) % 2]);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "rolling")->visits, 10000);
	cr_assert_eq(selfmon_report_row_count(report), 1);
	cr_assert_eq(selfmon_thread_attach()->top,
		     selfmon_thread_attach()->open);
	selfmon_report_free(report);
}

Test(region, a_region_inside_of_a_span_survives_the_end_of_the_span)
{
	struct selfmon_region *span = selfmon_region("span");
	struct selfmon_report *report;
	struct selfmon_frame frame;

	selfmon_enter(span, &frame);
	SELFMON_REGION("block")
	{
		selfmon_leave(&frame);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "span")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "block")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "block")->cut_off, 0);
	selfmon_report_free(report);
}

Test(region, an_open_visit_is_counted_apart)
{
	struct selfmon_report *report;

	leaf();
	SELFMON_REGION("outer")
	{
		leaf();
		report = rows_take();
	}
	cr_assert_eq(ROWS_GET(report, "outer")->open, 1);
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "outer")->time.verdict,
		     SELFMON_NOT_COUNTED);
	cr_assert_not(ROWS_GET(report, "outer")->exclusive_valid);
	selfmon_report_free(report);
}

Test(region, switched_off_at_run_time_nothing_is_entered)
{
	struct selfmon_report *report;

	leaf();
	cr_assert(selfmon_enable(false));
	leaf();
	cr_assert_not(selfmon_enable(true));
	leaf();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "leaf")->visits, 2);
	selfmon_report_free(report);
}

Test(region, switched_off_inside_of_a_visit_the_visit_still_ends)
{
	struct selfmon_report *report;

	SELFMON_REGION("outer")
	{
		selfmon_enable(false);
	}
	selfmon_enable(true);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "outer")->open, 0);
	selfmon_report_free(report);
}

Test(region, one_visit_in_n_is_measured_and_all_are_counted)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;
	int i;

	options.every = 10;
	cr_assert_eq(selfmon_configure(&options), 0);
	for (i = 0; i < 1000; i++)
		leaf();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "leaf")->visits, 1000);
	/*
	 * One visit is measured in each group of 1, 1, 2, 4, 8, then one in
	 * each group of 10. 4 visits remain.
	 */
	cr_assert_geq(ROWS_GET(report, "leaf")->measured, 5 + 98);
	cr_assert_leq(ROWS_GET(report, "leaf")->measured, 5 + 98 + 1);
	selfmon_report_free(report);
}

/* Checks the lowest and the highest value of each bucket but the last two. */
Test(region, the_middle_of_a_bucket_is_within_an_eighth_of_all_in_it)
{
	uint64_t low, high = 0;
	unsigned int b = 0;

	for (low = 0; b < SELFMON_BUCKETS - 2; low = high + 1, b++) {
		const uint64_t width = UINT64_C(1) << b / 4;

		high = low + width - 1;
		cr_assert_eq(selfmon_bucket_of(low), b);
		cr_assert_eq(selfmon_bucket_of(high), b);
		cr_assert_eq(selfmon_bucket_of(high + 1), b + 1);
		cr_assert_leq((high - low) * 4, low);
	}
	cr_assert_geq(low + 4, SELFMON_TICKS_LAST);
	cr_assert_lt(selfmon_bucket_of(SELFMON_TICKS_LAST - 1),
		     SELFMON_BUCKETS - 1);
	cr_assert_eq(selfmon_bucket_low(SELFMON_BUCKETS_SHORT),
		     SELFMON_TICKS_LONG);
}

Test(region, options_after_the_first_visit_are_refused)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	leaf();
	cr_assert_eq(selfmon_configure(&options), -EBUSY);
}

Test(region, options_out_of_range_are_refused)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.every = 0;
	cr_assert_eq(selfmon_configure(&options), -EINVAL);
	options.every = 1;
	options.size = 8;
	cr_assert_eq(selfmon_configure(&options), -EINVAL);
}

Test(region, options_of_a_later_version_are_read_as_far_as_they_are_known)
{
	struct {
		struct selfmon_options options;
		uint64_t later;
	} longer = { SELFMON_OPTIONS_INIT, 1 };

	longer.options.size = sizeof(longer);
	longer.options.every = 7;
	cr_assert_eq(selfmon_configure(&longer.options), 0);
	cr_assert_eq(selfmon_config()->every, 7);
}

static void nest_three(void)
{
	SELFMON_REGION("first of three")
	SELFMON_REGION("second of three")
	SELFMON_REGION("third of three")
	selfmon_compiler_fence();
}

/*
 * The third region begins while two visits of its function are open, so STEP
 * increases by 1 at each visit, as SAME does. The second region begins with one
 * such visit open, which does not increase STEP.
 */
Test(region, those_nested_in_one_function_are_told_apart_by_number)
{
	const struct selfmon_stats *third;
	int i;

	/* The first round makes the nodes. */
	nest_three();
	third = selfmon_thread_attach()->newest->stats;
	for (i = 0; i < 10; i++)
		nest_three();
	cr_assert_geq(third->kind[SELFMON_KIND_SAME], 10);
	cr_assert_geq(third->kind[SELFMON_KIND_STEP], 10);
	cr_assert_eq(third->kind[SELFMON_KIND_SAME],
		     third->kind[SELFMON_KIND_STEP]);
}
