/* SPDX-License-Identifier: MIT */
/*
 * Tests selfmon_region_ticks(), the elapsed time of an open visit. The visit
 * starts between two timestamps of the test, which give the bounds.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rows.h"

static void configure(const char *events, uint32_t every)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.every = every;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static uint64_t wait_some(void)
{
	const struct timespec some = { .tv_nsec = 3000000 };
	const uint64_t start = selfmon_clock_ticks();

	nanosleep(&some, NULL);
	return selfmon_clock_ticks() - start;
}

/* Checks that the open visit began between the two timestamps. */
#define CHECK_BETWEEN(before, after)                                           \
	do {                                                                   \
		const uint64_t low = selfmon_clock_ticks() - (after);          \
		const uint64_t ticks = selfmon_region_ticks();                 \
		const uint64_t high = selfmon_clock_ticks() - (before);        \
		cr_assert_geq(ticks, low);                                     \
		cr_assert_leq(ticks, high);                                    \
	} while (0)

static void visit_twice_nested(void)
{
	uint64_t before, outer, inner;
	int i;

	before = selfmon_clock_ticks();
	SELFMON_REGION("outer")
	{
		outer = selfmon_clock_ticks();
		CHECK_BETWEEN(before, outer);
		for (i = 0; i < 2; i++) {
			const uint64_t waited = wait_some();
			const uint64_t again = selfmon_clock_ticks();

			cr_assert_gt(waited, 0);
			SELFMON_REGION("inner")
			{
				inner = selfmon_clock_ticks();
				wait_some();
				CHECK_BETWEEN(again, inner);
			}
			CHECK_BETWEEN(before, outer);
		}
	}
	cr_assert_eq(selfmon_region_ticks(), 0);
}

Test(region_ticks, are_those_of_the_innermost_visit_since_its_own_start)
{
	configure("none", 1);
	visit_twice_nested();
}

Test(region_ticks, come_with_events_too)
{
	configure("page-faults,task-clock", 1);
	visit_twice_nested();
}

Test(region_ticks, come_with_the_events_of_this_machine)
{
	configure("auto", 1);
	visit_twice_nested();
}

Test(region_ticks, are_0_before_the_first_visit)
{
	cr_assert_eq(selfmon_region_ticks(), 0);
}

Test(region_ticks, are_what_the_report_adds_for_the_visit)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	uint64_t ticks = 0, ns;

	SELFMON_REGION("visit")
	{
		wait_some();
		ticks = selfmon_region_ticks();
	}
	report = rows_take();
	row = ROWS_GET(report, "visit");
	ns = selfmon_clock_ns(selfmon_clock(), ticks);
	cr_assert_gt(ns, 0);
	cr_assert_leq(ns, row->time.max);
	selfmon_report_free(report);
}

Test(region_ticks, are_0_in_visits_that_are_only_counted)
{
	int i, measured = 0;

	configure("none", 4);
	/* One visit is measured in each group of 1, 1, 2 and 4. */
	for (i = 0; i < 8; i++) {
		SELFMON_REGION("one in four")
		{
			wait_some();
			measured += selfmon_region_ticks() > 0;
		}
		if (i == 0) /* always measured */
			cr_assert_eq(measured, 1);
	}
	cr_assert_eq(measured, 4);
}

Test(region_ticks, are_0_where_regions_are_switched_off)
{
	selfmon_enable(false);
	SELFMON_REGION("off")
	{
		wait_some();
		cr_assert_eq(selfmon_region_ticks(), 0);
	}
}

Test(region_ticks, are_of_the_visit_around_one_that_is_not_measured)
{
	const uint64_t before = selfmon_clock_ticks();

	SELFMON_REGION("around")
	{
		const uint64_t after = selfmon_clock_ticks();

		wait_some();
		SELFMON_REGION_OF(NULL)
			CHECK_BETWEEN(before, after);
	}
}

static void *look_there(void *ticks)
{
	*(uint64_t *)ticks = selfmon_region_ticks();
	SELFMON_REGION("its own")
	{
		wait_some();
	}
	*(uint64_t *)ticks += selfmon_region_ticks();
	return NULL;
}

Test(region_ticks, are_not_of_other_threads_visits)
{
	uint64_t ticks = 1;
	pthread_t thread;

	SELFMON_REGION("here")
	{
		wait_some();
		pthread_create(&thread, NULL, look_there, &ticks);
		pthread_join(thread, NULL);
	}
	cr_assert_eq(ticks, 0);
}

Test(region_ticks, are_of_the_newest_span_that_is_open)
{
	struct selfmon_frame a, b;
	uint64_t start[3], end[3];

	start[0] = selfmon_clock_ticks();
	SELFMON_REGION("lexical")
	{
		end[0] = selfmon_clock_ticks();
		wait_some();
		start[1] = selfmon_clock_ticks();
		selfmon_enter(selfmon_region("a"), &a);
		end[1] = selfmon_clock_ticks();
		wait_some();
		start[2] = selfmon_clock_ticks();
		selfmon_enter(selfmon_region("b"), &b);
		end[2] = selfmon_clock_ticks();
		wait_some();
		CHECK_BETWEEN(start[2], end[2]);
		selfmon_leave(&a);
		CHECK_BETWEEN(start[2], end[2]);
		selfmon_enter(selfmon_region("a"), &a);
		start[1] = selfmon_clock_ticks();
		selfmon_leave(&b);
		CHECK_BETWEEN(end[2], start[1]);
		selfmon_leave(&a);
		CHECK_BETWEEN(start[0], end[0]);
	}
}

static uint64_t in_handler, in_its_region;

static void handler(int unused)
{
	(void)unused;
	in_handler = selfmon_region_ticks();
	SELFMON_REGION("handler")
		in_its_region = selfmon_region_ticks();
}

Test(region_ticks, in_a_handler_are_the_interrupted_regions_or_its_own)
{
	uint64_t waited, before;

	signal(SIGUSR1, handler);
	SELFMON_REGION("interrupted")
	{
		waited = wait_some();
		before = selfmon_clock_ticks();
		raise(SIGUSR1);
		cr_assert_geq(in_handler, waited);
		cr_assert_leq(in_its_region, selfmon_clock_ticks() - before);
	}
}

static jmp_buf env;

static __attribute__((noinline)) void jump_out(void)
{
	SELFMON_REGION("jumped out of")
	{
		longjmp(env, 1);
	}
}

Test(region_ticks, are_0_once_the_library_has_seen_that_a_visit_was_cut_off)
{
	if (!setjmp(env))
		jump_out();
	SELFMON_REGION("next")
	{
	}
	cr_assert_eq(selfmon_region_ticks(), 0);
}

Test(region_ticks, of_its_parents_visit_a_child_of_fork_knows_nothing)
{
	int status = -1;
	pid_t pid;

	SELFMON_REGION("parent's")
	{
		wait_some();
		pid = fork();
		if (pid == 0)
			_exit(selfmon_region_ticks() != 0);
		cr_assert_eq(waitpid(pid, &status, 0), pid);
	}
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
