/* SPDX-License-Identifier: MIT */
/* Tests regions that end by longjmp or by the end of their thread. */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>

#include "form.h"
#include "session/thread.h"
#include "store/process.h"
#include "store/self.h"
#include "rows.h"

static jmp_buf env;

static __attribute__((noinline)) void jump_out(void)
{
	SELFMON_REGION("jumper")
	{
		longjmp(env, 1);
	}
}

/*
 * Has a stack frame of its own, so the caller's next region has a higher
 * address than the abandoned one. If both had the same address, the library
 * would recognise the abandoned entry only after its frame was reused.
 */
static __attribute__((noinline)) void jump_out_often(int times)
{
	volatile int i;

	for (i = 0; i < times; i++)
		if (!setjmp(env))
			jump_out();
}

/* gcc does not consider a longjmp to be the end of a recursion. */
#pragma GCC diagnostic push
#if !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic ignored "-Winfinite-recursion"
#endif
static __attribute__((noinline)) void jump_out_deep(int depth)
{
	SELFMON_REGION("deep")
	{
		if (depth > 0)
			jump_out_deep(depth - 1);
		else
			longjmp(env, 1);
	}
}
#pragma GCC diagnostic pop

static __attribute__((noinline)) void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

Test(region_jumps, a_million_longjmps_out_of_a_region_make_one_node)
{
	const int jumps = quick_or_all(100000, 1000000);
	struct selfmon_report *report;

	jump_out_often(jumps);
	visit();
	report = rows_take();
	cr_assert_eq(selfmon_report_row_count(report), 2);
	cr_assert_eq(ROWS_GET(report, "jumper")->cut_off, (uint64_t)jumps);
	cr_assert_eq(ROWS_GET(report, "jumper")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "jumper")->time.verdict,
		     SELFMON_NOT_COUNTED);
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 1);
	selfmon_report_free(report);
}

Test(region_jumps, out_of_a_region_in_the_function_that_set_the_jump)
{
	struct selfmon_report *report;
	volatile int i;

	for (i = 0; i < 1000; i++)
		if (!setjmp(env))
			SELFMON_REGION("same function")
			{
				longjmp(env, 1);
			}
	report = rows_take();
	cr_assert_eq(selfmon_report_row_count(report), 1);
	cr_assert_eq(ROWS_GET(report, "same function")->cut_off +
			     ROWS_GET(report, "same function")->open,
		     1000);
	selfmon_report_free(report);
}

Test(region_jumps, all_levels_that_were_jumped_past_are_cut_off)
{
	struct selfmon_report *report;

	SELFMON_REGION("outer")
	{
		if (!setjmp(env))
			jump_out_deep(4);
		visit();
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "outer")->cut_off, 0);
	cr_assert_eq(ROWS_GET(report, "outer", "visit")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "outer", "deep")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "outer", "deep", "deep", "deep", "deep",
			      "deep")
			     ->cut_off,
		     1);
	selfmon_report_free(report);
}

/*
 * This function is called twice from the same place, so the entries of both
 * calls have the same mark. The jump abandons frames[1] of the first call, and
 * the second call reuses this memory. Only this reuse shows which entry is
 * abandoned.
 */
static __attribute__((noinline)) void jump_or_visit(bool jumps)
{
	struct selfmon_frame frames[2];

	if (jumps) {
		selfmon_impl_open(SELFMON_IMPL_SITE("jumper"), &frames[1]);
		longjmp(env, 1);
	}
	selfmon_impl_open(SELFMON_IMPL_SITE("living"), &frames[0]);
	selfmon_impl_open(SELFMON_IMPL_SITE("inside"), &frames[1]);
	selfmon_leave(&frames[1]);
	selfmon_leave(&frames[0]);
}

/*
 * Accepts any position in the tree, which depends on when the jump was noticed.
 */
static void assert_one_visit(const struct selfmon_report *report,
			     const char *name)
{
	uint64_t visits = 0, cut_off = 0;
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (strcmp(row->name, name))
			continue;
		visits += row->visits;
		cut_off += row->cut_off;
	}
	cr_assert_eq(visits, 1, "%s: %ju visits", name, (uintmax_t)visits);
	cr_assert_eq(cut_off, 0, "%s was cut off", name);
}

Test(region_jumps, one_that_lives_over_an_abandoned_one_is_not_cut_off_with_it)
{
	struct selfmon_report *report;
	volatile int i;

	SELFMON_REGION("outer")
	{
		for (i = 0; i < 2; i++)
			if (!setjmp(env))
				jump_or_visit(i == 0);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer", "jumper")->cut_off, 1);
	assert_one_visit(report, "living");
	assert_one_visit(report, "inside");
	selfmon_report_free(report);
}

Test(region_jumps, a_span_is_not_cut_off_by_what_is_entered_above_it)
{
	struct selfmon_region *handle = selfmon_region("span");
	struct selfmon_report *report;
	struct selfmon_frame frame;

	selfmon_enter(handle, &frame);
	jump_out_often(1);
	visit();
	selfmon_leave(&frame);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "span")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "span")->cut_off, 0);
	cr_assert_eq(ROWS_GET(report, "span", "jumper")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "span", "visit")->visits, 1);
	selfmon_report_free(report);
}

static void *end_inside(void *unused)
{
	struct selfmon_frame frame;

	(void)unused;
	selfmon_enter(selfmon_region("never left"), &frame);
	return NULL;
}

Test(region_jumps, a_visit_whose_thread_ended_is_cut_off)
{
	struct selfmon_report *report;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, end_inside, NULL), 0);
	pthread_join(thread, NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "never left")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "never left")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "never left")->open, 0);
	selfmon_report_free(report);
}

Test(region_jumps, a_leave_after_its_visit_was_cut_off_does_nothing)
{
	struct selfmon_frame *frame = NULL;
	struct selfmon_report *report;
	struct selfmon_frame copy;

	SELFMON_REGION("outer")
	{
		SELFMON_BEGIN(tag, "inner");
		frame = &selfmon_frame_tag_tag;
		copy = *frame;
	}
	selfmon_leave(&copy);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->visits, 1);
	cr_assert_eq(selfmon_process()->stale, 1);
	selfmon_report_free(report);
}

static struct selfmon_frame pin;

static __attribute__((noinline)) void jump_out_below_a_span(void)
{
	SELFMON_REGION("pinned")
	{
		selfmon_enter(selfmon_region("pin"), &pin);
		longjmp(env, 1);
	}
}

static __attribute__((noinline)) void jump_from_deep_down(void)
{
	volatile char low[256];

	low[0] = 0;
	if (!setjmp(env))
		jump_out_below_a_span();
	low[255] = low[0];
}

Test(region_jumps, past_a_span_do_not_cut_off_what_is_entered_later)
{
	struct selfmon_report *report;

	jump_from_deep_down();
	SELFMON_REGION("later")
	{
		selfmon_leave(&pin);
		SELFMON_REGION("inside")
		{
		}
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "pinned", "later")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "pinned", "later")->cut_off, 0);
	selfmon_report_free(report);
}

/*
 * Enters a region and, inside of it, a span. The library does not know the
 * position of a span on the stack. Then jumps out.
 */
static __attribute__((noinline)) void open_and_jump(struct selfmon_frame *span)
{
	SELFMON_REGION("under a span")
	{
		selfmon_enter(selfmon_region("long-lived"), span);
		longjmp(env, 1);
	}
}

/*
 * Called with a smaller depth each time, so each call runs at a higher address
 * than the previous call. So the call does not overwrite the frame that the
 * previous call abandoned.
 */
static __attribute__((noinline)) void jump_from_depth(struct selfmon_frame *span,
						      size_t depth)
{
	volatile char *const room = alloca(64 * depth + 1);

	room[0] = 0;
	open_and_jump(span);
	room[64 * depth] = room[0];
}

Test(region_jumps, under_long_lived_spans_do_not_use_up_the_depth)
{
	static struct selfmon_frame span[SELFMON_DEPTH_MAX];
	struct selfmon_report *report;
	volatile size_t i;

	for (i = 0; i < 200; i++)
		if (!setjmp(env))
			jump_from_depth(&span[i], 200 - i);
	report = rows_take();
	cr_assert_eq(selfmon_thread_attach()->record->too_deep, 0);
	cr_assert_eq(selfmon_thread_attach()->record->evicted, 0);
	selfmon_report_free(report);
	for (i = 0; i < 200; i++)
		selfmon_leave(&span[i]);
	visit();
	cr_assert_eq(selfmon_thread_attach()->top,
		     selfmon_thread_attach()->open);
}

Test(region_jumps, out_of_an_enter_leave_nothing_behind)
{
	struct selfmon_report *report;

	SELFMON_REGION("outer")
	{
		/*
		 * Acts as if a handler had jumped out of enter at this point.
		 */
		selfmon_thread_attach()->top++;
		visit();
	}
	report = rows_take();
	cr_assert_eq(selfmon_thread_attach()->top,
		     selfmon_thread_attach()->open);
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "outer")->cut_off, 0);
	cr_assert_eq(ROWS_GET(report, "outer", "visit")->visits, 1);
	selfmon_report_free(report);
}

static void *exit_inside(void *unused)
{
	SELFMON_REGION("outer")
	{
		SELFMON_REGION("inner")
		{
			pthread_exit(unused);
		}
	}
	return NULL;
}

Test(region_jumps, pthread_exit_cuts_off_all_that_is_open)
{
	struct selfmon_report *report;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, exit_inside, NULL), 0);
	pthread_join(thread, NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->open, 0);
	selfmon_report_free(report);
}
