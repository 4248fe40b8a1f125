/* SPDX-License-Identifier: MIT */
/*
 * Tests sets that count several threads: threads that start during the
 * measurement, and threads of a pool.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "kernel/holds.h"
#include "kernel/threads.h"

/* ---- threads that start inside of the measurement ------------------------ */

static void *touch_and_exit(void *map)
{
	touch(map);
	return NULL;
}

static void fork_and_join(void)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, touch_and_exit,
					    pages[i]),
			     0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static uint64_t faults_inside(void)
{
	drop_pages(THREADS);
	selfmon_counters_begin(set, &a);
	fork_and_join();
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	return delta.value[0].count;
}

static void open_inside(unsigned int flags)
{
	int i;

	for (i = 0; i < THREADS; i++)
		pages[i] = fresh_pages();
	fork_and_join(); /* later threads reuse the stacks */
	cr_assert_eq(open_set("page-faults,task-clock", flags), 2);
	cr_assert_eq(failure.error, 0);
}

/* The stack and the exit of a thread cause some faults, too. */
static void assert_all_inside(uint64_t faults)
{
	cr_assert_geq(faults, THREADS * PAGES);
	cr_assert_lt(faults, THREADS * (PAGES + PAGES / 2));
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(delta.value[1].verdict, SELFMON_SYSCALL);
	cr_assert_eq(delta.flags & ~SELFMON_DELTA_MIGRATED, 0);
}

Test(counters_threads, a_plain_set_counts_none_of_the_threads_inside)
{
	SKIP_IF_SANITIZED("its shadow memory faults too");
	open_inside(0);
	cr_assert_lt(faults_inside(), PAGES);
	cr_assert_null(why(0));
	selfmon_counters_close(set);
}

Test(counters_threads, threads_inside_are_counted_by_inherit)
{
	SKIP_IF_SANITIZED("its shadow memory faults too");
	open_inside(SELFMON_COUNTERS_INHERIT);
	assert_all_inside(faults_inside());
	assert_all_inside(faults_inside());
	cr_assert_not_null(strstr(why(0),
				  "threads that the opening thread starts"));
	selfmon_counters_close(set);
}

Test(counters_threads, threads_inside_are_counted_by_process)
{
	SKIP_IF_SANITIZED("its shadow memory faults too");
	open_inside(SELFMON_COUNTERS_PROCESS);
	assert_all_inside(faults_inside());
	assert_all_inside(faults_inside());
	cr_assert_not_null(strstr(why(0), "all threads of the process"));
	selfmon_counters_close(set);
}

static void *start_more(void *unused)
{
	fork_and_join();
	return unused;
}

static void fork_and_join_deeper(void)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, start_more, NULL), 0);
	pthread_join(thread, NULL);
}

Test(counters_threads, threads_of_threads_are_counted)
{
	SKIP_IF_SANITIZED("its shadow memory faults too");
	open_inside(SELFMON_COUNTERS_INHERIT);
	fork_and_join_deeper();
	drop_pages(THREADS);
	selfmon_counters_begin(set, &a);
	fork_and_join_deeper();
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	assert_all_inside(delta.value[0].count);
	selfmon_counters_close(set);
}

/*
 * The exit of a thread is not atomic: a thread that was joined may still be
 * exiting. Its counts must be neither lost nor counted twice.
 */
Test(counters_threads, no_count_is_lost_while_threads_end)
{
	uint64_t last[2] = { 0, 0 };
	int round, i;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	for (i = 0; i < THREADS; i++)
		pages[i] = fresh_pages();
	cr_assert_eq(open_set("page-faults,page-faults:u",
			      SELFMON_COUNTERS_INHERIT), 2);
	for (round = 0; round < 100; round++) {
		drop_pages(THREADS);
		selfmon_counters_begin(set, &a);
		fork_and_join();
		for (i = 0; i < 20; i++) {
			selfmon_counters_end(set, &b);
			selfmon_counters_delta(set, &a, &b, &delta);
			cr_assert_eq(delta.flags & SELFMON_DELTA_LOST, 0);
			cr_assert_geq(delta.value[0].count, THREADS * PAGES);
			cr_assert_geq(delta.value[1].count, THREADS * PAGES);
			cr_assert_geq(b.value[0], last[0]);
			cr_assert_geq(b.value[1], last[1]);
			last[0] = b.value[0];
			last[1] = b.value[1];
		}
	}
	selfmon_counters_close(set);
}

/* ---- a pool -------------------------------------------------------------- */

Test(counters_threads, a_pool_that_was_there_is_not_inherited)
{
	SKIP_IF_SANITIZED("its shadow memory faults too");
	start_pool(THREADS);
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_INHERIT), 1);
	assert_faults(0);
	selfmon_counters_close(set);
	cr_assert_eq(open_set("page-faults", 0), 1);
	assert_faults(0);
	selfmon_counters_close(set);
	pool_end(&pool);
}

Test(counters_threads, a_pool_that_was_started_later_is_inherited)
{
	SKIP_IF_SANITIZED("its shadow memory faults too");
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_INHERIT), 1);
	start_pool(THREADS);
	assert_faults(THREADS * PAGES);
	pool_end(&pool);
	selfmon_counters_close(set);
}

Test(counters_threads, a_pool_is_counted_exactly_by_process)
{
	SKIP_IF_SANITIZED("its shadow memory faults too");
	start_pool(THREADS);
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_PROCESS), 1);
	assert_faults(THREADS * PAGES);
	assert_faults(THREADS * PAGES);
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	pool_end(&pool);
	selfmon_counters_close(set);
}

/*
 * A pool of MANY threads needs more than one read of /proc/self/task, and many
 * descriptors.
 */
Test(counters_threads, a_large_pool_is_counted_exactly)
{
	SKIP_IF_SANITIZED("its shadow memory faults too");
	start_pool(MANY);
	cr_assert_eq(open_set("page-faults,task-clock,dummy",
			      SELFMON_COUNTERS_PROCESS), 3);
	cr_assert_eq(holds_events_from(0), 3 * task_count());
	assert_faults(MANY * PAGES);
	selfmon_counters_close(set);
	cr_assert_eq(holds_events_from(0), 0);
	pool_end(&pool);
}

Test(counters_threads, what_a_pool_has_counted_stays_when_it_ends)
{
	SKIP_IF_SANITIZED("its shadow memory faults too");
	start_pool(THREADS);
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_PROCESS), 1);
	assert_faults(THREADS * PAGES);
	pool_end(&pool);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_geq(delta.value[0].count, THREADS * PAGES);
	cr_assert_lt(delta.value[0].count, (THREADS + 1) * PAGES);
	selfmon_counters_close(set);
}

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void burn(int which)
{
	const uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + 20000000;

	(void)which;
	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

Test(counters_threads, the_clocks_of_a_pool_add_up_to_its_cpu_time)
{
	uint64_t ns;

	pool_start(&pool, THREADS, burn);
	cr_assert_eq(open_set("task-clock", SELFMON_COUNTERS_PROCESS), 1);
	selfmon_counters_begin(set, &a);
	ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	pool_run(&pool);
	ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - ns;
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	/* Some kernels subtract interrupts from CPU time. */
	cr_assert_geq(delta.value[0].count, ns - ns / 20);
	cr_assert_geq(ns, THREADS * UINT64_C(20000000));
	selfmon_counters_close(set);
	pool_end(&pool);
}
