/* SPDX-License-Identifier: MIT */
/* Tests that visits use no more of the program's stack than HOST.md states. */
#define _GNU_SOURCE
#include <string.h>

#include "coroutines.h"

TestSuite(host_stack_use, .init = setup);

static void visit_once(void)
{
	SELFMON_REGION("once")
	{
	}
}

static void visit_again(void)
{
	SELFMON_REGION("again")
	{
	}
}

/*
 * Returns how many bytes of stack body uses. Before the call, fills a stack
 * with a pattern.
 */
static size_t taken_by(void (*body)(void))
{
	unsigned char *const stack = (unsigned char *)memory + BELOW * STACK;
	size_t untouched = 0;

	memset(stack, 0xa5, STACK);
	make(0, body, BELOW, 1);
	resume(0);
	while (untouched < STACK && stack[untouched] == 0xa5)
		untouched++;
	return STACK - untouched;
}

static size_t first, other, usual;

static void *visit_on_thread(void *unused)
{
	other = taken_by(visit_again);
	taken_by(visit_once);
	usual = taken_by(visit_once);
	return unused;
}

static void measure(const char *events)
{
	pthread_t thread;

#ifndef __OPTIMIZE__
	cr_skip_test("without optimisation the compiler uses more stack");
#endif
	setenv("SELFMON_EVENTS", events, 1);
	setenv("SELFMON_LIVE", "/nonexistent/live", 1);
	first = taken_by(visit_once);
	cr_assert_eq(pthread_create(&thread, NULL, visit_on_thread, NULL), 0);
	pthread_join(thread, NULL);
	cr_assert_gt(first, other);
	cr_assert_lt(first, 20 << 10);
	cr_assert_lt(other, 8 << 10);
	cr_assert_lt(usual, 2 << 10);
}

Test(host_stack_use, with_time_alone)
{
	measure("none");
}

Test(host_stack_use, by_default)
{
	measure("auto");
}

Test(host_stack_use, with_software_events)
{
	measure("task-clock,page-faults");
}

Test(host_stack_use, with_a_tracepoint)
{
	measure("sched:sched_switch");
}
