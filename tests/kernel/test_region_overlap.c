/* SPDX-License-Identifier: MIT */
/*
 * Tests spans that overlap or end without a leave: the self times in a report
 * never exceed the elapsed time.
 */
#include <setjmp.h>
#include <time.h>

#include "rows.h"

static struct selfmon_frame a, b, c;
static jmp_buf env;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Makes a visit that takes 2 ms. */
static void work(const char *name)
{
	const double end = now_ns() + 2e6;

	SELFMON_REGION_OF(selfmon_region(name))
	{
		while (now_ns() < end)
			;
	}
}

/* Allows 2 % for the errors of the clock and of the overhead. */
#define SLACK 1.02

static struct selfmon_report *measure(void (*what)(void))
{
	const double begin = now_ns();
	struct selfmon_report *report;
	double self = 0, wall;
	size_t i;

	what();
	wall = now_ns() - begin;
	report = rows_take();
	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (row->exclusive_valid)
			self += row->time.net_exclusive;
	}
	cr_assert_leq(self, SLACK * wall, "%.0f of %.0f us are self time",
		      self / 1e3, wall / 1e3);
	return report;
}

#define KNOWN(...) ROWS_GET(report, __VA_ARGS__)->exclusive_valid

static void two_with_a_region_in_each(void)
{
	selfmon_enter(selfmon_region("a"), &a);
	selfmon_enter(selfmon_region("b"), &b);
	work("in both");
	selfmon_leave(&a);
	work("in b");
	selfmon_leave(&b);
}

Test(region_overlap, of_two_spans_is_said_by_both)
{
	struct selfmon_report *report = measure(two_with_a_region_in_each);

	cr_assert_not(KNOWN("a"));
	cr_assert_not(KNOWN("a", "b"));
	cr_assert_not(KNOWN("b"));
	cr_assert(KNOWN("a", "b", "in both"));
	cr_assert(KNOWN("b", "in b"));
	cr_assert_eq(ROWS_GET(report, "a", "b")->visits, 0);
	selfmon_report_free(report);
}

static void two_in_a_region(void)
{
	SELFMON_REGION("above")
	{
		SELFMON_REGION("outer")
		{
			work("before");
			two_with_a_region_in_each();
		}
	}
}

Test(region_overlap, is_said_by_the_region_around_it_and_by_no_other)
{
	struct selfmon_report *report = measure(two_in_a_region);

	cr_assert_not(KNOWN("above", "outer"));
	cr_assert_not(KNOWN("above", "outer", "a"));
	cr_assert_not(KNOWN("above", "outer", "b"));
	cr_assert(KNOWN("above", "outer", "before"));
	cr_assert(KNOWN("above"));
	selfmon_report_free(report);
}

static void three(void)
{
	selfmon_enter(selfmon_region("a"), &a);
	selfmon_enter(selfmon_region("b"), &b);
	selfmon_enter(selfmon_region("c"), &c);
	work("in all");
	selfmon_leave(&a);
	work("in b and c");
	selfmon_leave(&b);
	work("in c");
	selfmon_leave(&c);
}

Test(region_overlap, of_three_spans_is_said_by_each)
{
	struct selfmon_report *report = measure(three);

	cr_assert_not(KNOWN("a"));
	cr_assert_not(KNOWN("b"));
	cr_assert_not(KNOWN("b", "c"));
	cr_assert_not(KNOWN("c"));
	cr_assert(KNOWN("c", "in c"));
	selfmon_report_free(report);
}

static void span_beyond_a_region(void)
{
	SELFMON_REGION("outer")
	{
		SELFMON_REGION("inner")
		{
			selfmon_enter(selfmon_region("a"), &a);
			work("in both");
		}
		work("in a");
		selfmon_leave(&a);
	}
}

Test(region_overlap, of_a_span_and_a_region_is_said_by_both)
{
	struct selfmon_report *report = measure(span_beyond_a_region);

	cr_assert_not(KNOWN("outer"));
	cr_assert_not(KNOWN("outer", "inner"));
	cr_assert_not(KNOWN("outer", "a"));
	cr_assert(KNOWN("outer", "a", "in a"));
	selfmon_report_free(report);
}

static __attribute__((noinline)) void jump_out(void)
{
	SELFMON_REGION("jumped out of")
	{
		work("before the jump");
		longjmp(env, 1);
	}
}

static void jump(void)
{
	SELFMON_REGION("outer")
	{
		if (!setjmp(env))
			jump_out();
		work("after the jump");
	}
}

/*
 * The time of the cut-off region is not subtracted from the outer region, but
 * the region's children are shown. So the outer region has no valid self time.
 */
Test(region_overlap, of_time_with_a_region_that_was_cut_off_is_said_around_it)
{
	struct selfmon_report *report = measure(jump);

	cr_assert_not(KNOWN("outer"));
	cr_assert_not(KNOWN("outer", "jumped out of"));
	cr_assert(KNOWN("outer", "jumped out of", "before the jump"));
	selfmon_report_free(report);
}

static void many_never_left(void)
{
	static struct selfmon_frame span[300];
	size_t i;

	SELFMON_REGION("outer")
	{
		for (i = 0; i < 300; i++) {
			selfmon_enter(selfmon_region(i % 2 ? "a" : "b"),
				      &span[i]);
			if (i % 50 == 0)
				work("work");
		}
		for (i = 300; i-- > 0;)
			selfmon_leave(&span[i]);
		work("work");
	}
}

Test(region_overlap, of_spans_that_were_ended_is_said_too)
{
	struct selfmon_report *report = measure(many_never_left);

	cr_assert_not(KNOWN("outer"));
	selfmon_report_free(report);
}
