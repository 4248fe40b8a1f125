/* SPDX-License-Identifier: MIT */
/*
 * Tests units of work that visits count: each is recorded with its own visit.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "store/state.h"
#include "rows.h"

static const struct selfmon_row *row_of(const char *name)
{
	static struct selfmon_report *report;

	selfmon_report_free(report);
	report = rows_take();
	rows_check(report);
	return ROWS_GET(report, name);
}

static void configure(const char *events, uint32_t every)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.every = every;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static void visit(uint64_t bytes, uint64_t items)
{
	SELFMON_REGION_OF(selfmon_region("work"))
	{
		selfmon_region_bytes(bytes);
		selfmon_region_items(items);
		selfmon_region_bytes(1);
	}
}

Test(region_units, are_those_of_the_innermost_region)
{
	struct selfmon_report *report;

	SELFMON_REGION("outer")
	{
		visit(1000, 3);
		visit(500, 4);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer")->bytes, 0);
	cr_assert_eq(ROWS_GET(report, "outer", "work")->bytes, 1502);
	cr_assert_eq(ROWS_GET(report, "outer", "work")->items, 7);
	selfmon_report_free(report);
}

Test(region_units, add_up_over_visits_and_threads)
{
	const struct selfmon_row *row;

	visit(1000, 3);
	visit(500, 4);
	row = row_of("work");
	cr_assert_eq(row->bytes, 1502);
	cr_assert_eq(row->items, 7);
	cr_assert_eq(row->visits, 2);
}

static void *thread_visits(void *unused)
{
	visit(100, 1);
	return unused;
}

Test(region_units, of_other_threads_come_in)
{
	pthread_t thread;

	visit(10, 0);
	pthread_create(&thread, NULL, thread_visits, NULL);
	pthread_join(thread, NULL);
	cr_assert_eq(row_of("work")->bytes, 112);
}

Test(region_units, come_with_events_too)
{
	configure("page-faults,task-clock", 1);
	visit(1000, 3);
	visit(500, 4);
	cr_assert_eq(row_of("work")->bytes, 1502);
	cr_assert_eq(row_of("work")->items, 7);
}

Test(region_units, of_an_open_visit_wait_for_its_end)
{
	visit(10, 0);
	SELFMON_REGION_OF(selfmon_region("work"))
	{
		selfmon_region_bytes(1000);
		cr_assert_eq(row_of("work")->bytes, 11);
	}
	cr_assert_eq(row_of("work")->bytes, 1011);
}

Test(region_units, of_visits_that_are_only_counted_are_left_out)
{
	const struct selfmon_row *row;
	int i;

	configure("none", 4);
	/* One visit is measured in each group of 1, 1, 2 and 4. */
	for (i = 0; i < 8; i++)
		visit(100, 1);
	row = row_of("work");
	cr_assert_eq(row->measured, 4);
	cr_assert_eq(row->visits, 8);
	cr_assert_eq(row->bytes, 4 * 101);
	cr_assert_eq(row->items, 4);
}

static jmp_buf env;

static __attribute__((noinline)) void jump_out(void)
{
	SELFMON_REGION_OF(selfmon_region("work"))
	{
		selfmon_region_bytes(5000);
		longjmp(env, 1);
	}
}

Test(region_units, of_a_visit_that_was_cut_off_are_left_out)
{
	const struct selfmon_row *row;

	if (!setjmp(env))
		jump_out();
	SELFMON_REGION_OF(selfmon_region("work"))
		selfmon_region_bytes(11);
	row = row_of("work");
	cr_assert_eq(row->cut_off, 1);
	cr_assert_eq(row->bytes, 11);
}

Test(region_units, go_with_a_span_that_becomes_its_siblings_child)
{
	struct selfmon_frame a, b;

	selfmon_enter(selfmon_region("a"), &a);
	selfmon_enter(selfmon_region("b"), &b);
	selfmon_region_bytes(70);
	selfmon_leave(&a);
	selfmon_region_bytes(7);
	selfmon_leave(&b);
	cr_assert_eq(row_of("b")->bytes, 77);
	cr_assert_eq(row_of("a")->bytes, 0);
}

static void handler(int unused)
{
	(void)unused;
	selfmon_region_bytes(4);
	SELFMON_REGION("handler")
		selfmon_region_bytes(40);
}

Test(region_units, told_in_a_handler_are_the_interrupted_regions_or_its_own)
{
	signal(SIGUSR1, handler);
	SELFMON_REGION_OF(selfmon_region("work"))
	{
		selfmon_region_bytes(1);
		raise(SIGUSR1);
	}
	cr_assert_eq(row_of("work")->bytes, 5);
}

Test(region_units, without_a_region_are_nobodys)
{
	selfmon_region_bytes(5000); /* before the thread has a state */
	visit(1, 0);
	selfmon_region_bytes(5000);
	visit(1, 0);
	cr_assert_eq(row_of("work")->bytes, 4);
}

Test(region_units, leave_the_longest_visit_what_it_was)
{
	const struct selfmon_row *row;
	int i;

	for (i = 0; i < 1000; i++)
		visit((uint64_t)i, 1);
	row = row_of("work");
	cr_assert_eq(row->items, 1000);
	cr_assert_eq(row->bytes, 500500);
	cr_assert_leq(row->time.max, row->time.sum);
}

static uint32_t stop;

static void *visit_until_told(void *unused)
{
	while (!selfmon_load_once(&stop))
		visit(99, 3);
	return unused;
}

/* Each visit counts 100 bytes and 3 items. A reader sees both or neither. */
Test(region_units, are_read_with_their_visits_while_the_thread_goes_on)
{
	const struct selfmon_row *row;
	pthread_t thread;
	int i;

	visit(99, 3);
	pthread_create(&thread, NULL, visit_until_told, NULL);
	for (i = 0; i < 300; i++) {
		row = row_of("work");
		cr_assert_eq(row->bytes, 100 * row->visits);
		cr_assert_eq(row->items, 3 * row->visits);
	}
	selfmon_store_once(&stop, 1);
	pthread_join(thread, NULL);
}
