/* SPDX-License-Identifier: MIT */
/*
 * Tests coroutines that are suspended and never resumed, and spans that stay
 * open across switches of coroutines.
 */
#define _GNU_SOURCE
#include "coroutines.h"
#include "session/thread.h"
#include "store/process.h"

TestSuite(host_dropped, .init = setup);

/*
 * A coroutine is dropped inside of its region. Another coroutine reuses its
 * stack.
 */
static void *drop(void *unused)
{
	begin_only(unused);
	return begin_only(unused);
}

Test(host_dropped, one_that_is_dropped_is_cut_off_when_its_bytes_are_used_again)
{
	struct selfmon_report *report;

	on_thread(drop, NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "a")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "a")->open, 0);
	cr_assert_eq(ROWS_GET(report, "a")->cut_off, 2 * TIMES);
	selfmon_report_free(report);
}

/* Runs a coroutine on a stack that is not reused afterwards. */
static void drop_one(char *stack)
{
	getcontext(&coroutine[0]);
	coroutine[0].uc_stack.ss_sp = stack;
	coroutine[0].uc_stack.ss_size = STACK / 2;
	coroutine[0].uc_link = &scheduler;
	makecontext(&coroutine[0], visit_a, 0);
	resume(0);
}

Test(host_dropped, further_visits_than_256_dropped_ones_are_counted_too_deep)
{
	const size_t size = (SELFMON_DEPTH_MAX + 1) * STACK / 2;
	char *const stacks = mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct selfmon_report *report;
	size_t i;

	cr_assert_neq((void *)stacks, MAP_FAILED);
	for (i = 0; i <= SELFMON_DEPTH_MAX; i++)
		drop_one(stacks + i * STACK / 2);
	SELFMON_REGION("after")
	{
	}
	report = rows_take();
	cr_assert_eq(selfmon_thread_attach()->record->too_deep, 2);
	cr_assert_null(ROWS_FIND(report, "after"));
	selfmon_report_free(report);
}

static struct selfmon_frame span[2];

static void enter_span(void)
{
	selfmon_enter(selfmon_region("of the coroutine"), &span[1]);
	yield(0);
	selfmon_leave(&span[1]);
	selfmon_enter(selfmon_region("alone"), &span[1]);
	selfmon_leave(&span[1]);
	yield(0);
}

static void *span_over_switches(void *unused)
{
	(void)unused;
	make(0, enter_span, BELOW, 0);
	selfmon_enter(selfmon_region("of the thread"), &span[0]);
	resume(0);
	selfmon_leave(&span[0]);
	resume(0);
	return NULL;
}

Test(host_dropped,
     spans_are_nested_by_their_beginning_and_marked_where_they_stay)
{
	struct selfmon_report *report;

	on_thread(span_over_switches, NULL);
	report = rows_take();
	cr_assert_eq(row_named(report, "of the thread")->visits, TIMES);
	cr_assert_eq(row_named(report, "of the thread")->switched, 0);
	/* The visit outlived "of the thread", so it moved to the top level. */
	cr_assert_eq(ROWS_GET(report, "of the coroutine")->visits, TIMES);
	cr_assert_eq(ROWS_GET(report, "of the coroutine")->switched, 0);
	cr_assert_eq(ROWS_GET(report, "alone")->switched, TIMES);
	selfmon_report_free(report);
}
