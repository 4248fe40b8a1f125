/* SPDX-License-Identifier: MIT */
/*
 * Tests the use of counter sets by threads and processes that did not open
 * them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "clock/clock.h"
#include "kernel/sets.h"

static void *read_elsewhere(void *snapshot)
{
	touch(fresh_pages()); /* not faults of the opener */
	selfmon_counters_end(set, snapshot);
	return NULL;
}

Test(counters_elsewhere, another_thread_reads_the_openers_counts)
{
	void *pages = fresh_pages();
	pthread_t thread;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	cr_assert_eq(open_set("page-faults", 0), 1);
	measure_faults();
	selfmon_counters_begin(set, &a);
	touch(pages);
	/*
	 * Creating a thread causes some faults in the opener, which maps the
	 * stack of the new thread.
	 */
	cr_assert_eq(pthread_create(&thread, NULL, read_elsewhere, &b), 0);
	pthread_join(thread, NULL);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	cr_assert_geq(delta.value[0].count, PAGES);
	cr_assert_lt(delta.value[0].count, 2 * PAGES);
	cr_assert_eq(b.cpu, UINT32_MAX);
	selfmon_counters_close(set);
}

static void *open_and_exit(void *unused)
{
	cr_assert_eq(open_set("page-faults", 0), 1);
	measure_faults();
	selfmon_counters_end(set, &a);
	return unused;
}

Test(counters_elsewhere, a_set_outlives_its_thread_and_stands_still)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, open_and_exit, NULL), 0);
	pthread_join(thread, NULL);
	touch(fresh_pages());
	selfmon_counters_end(set, &b);
	cr_assert_eq(b.flags & SELFMON_SNAPSHOT_LOST, 0);
	cr_assert_geq(b.value[0], a.value[0]);
	cr_assert_lt(b.value[0], a.value[0] + PAGES);
	selfmon_counters_close(set);
}

static int use_in_child(void)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };

	selfmon_counters_end(set, &b);
	if ((b.flags & SELFMON_SNAPSHOT_LOST) != SELFMON_SNAPSHOT_LOST)
		return 1;
	selfmon_counters_delta(set, &a, &b, &delta);
	if (!(delta.flags & SELFMON_DELTA_LOST) ||
	    delta.value[0].verdict != SELFMON_NOT_COUNTED ||
	    delta.value[0].count != 0)
		return 2;
	if (selfmon_counters_info(set, 0, &info) != -ESRCH)
		return 3;
	selfmon_counters_close(set);
	if (open_set("page-faults", 0) != 1)
		return 4;
	measure_faults();
	return delta.value[0].count == PAGES ? 0 : 5;
}

/*
 * The kernel wipes the set's memory in the child, including the choice of a
 * clock. So the child must use the clock of the process.
 */
Test(counters_elsewhere, a_forked_child_keeps_the_time_of_the_processs_clock)
{
	int status = -1;
	pid_t child;

	cr_assert_eq(selfmon_clock_force(SELFMON_CLOCK_GETTIME), 0);
	cr_assert_eq(open_set("page-faults", 0), 1);
	selfmon_counters_begin(set, &a);
	child = fork();
	if (child == 0) {
		selfmon_counters_end(set, &b);
		_exit(b.ticks < a.ticks || b.ticks > selfmon_clock_ticks());
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	selfmon_counters_close(set);
}

Test(counters_elsewhere, a_forked_child_finds_no_numbers_and_can_open_its_own)
{
	int status = -1;
	pid_t child;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	cr_assert_eq(open_set("page-faults", 0), 1);
	selfmon_counters_begin(set, &a);
	child = fork();
	if (child == 0)
		_exit(use_in_child());
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0, "status %#x", (unsigned int)status);
	measure_faults();
	cr_assert_eq(delta.value[0].count, PAGES, "the parent's goes on");
	selfmon_counters_close(set);
}
