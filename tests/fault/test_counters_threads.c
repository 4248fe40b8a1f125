/* SPDX-License-Identifier: MIT */
/*
 * Tests sets that count several threads: on older kernels, and while threads
 * start and exit.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault/counters_faults.h"
#include "pool.h"

#define THREADS 3

static struct pool pool, later;

static void nothing(int which)
{
	(void)which;
}

static void a_setup(void)
{
	setup();
	pool_start(&pool, THREADS, nothing);
}

static void an_end(void)
{
	pool_end(&pool);
}

TestSuite(counters_threads_faults, .init = a_setup, .fini = an_end);

static bool why_says(const char *words)
{
	return strstr(info_of(0).why_syscall, words) != NULL;
}

Test(counters_threads_faults, old_kernels_follow_processes_and_it_is_said)
{
	kernel_faults.no_inherit_thread = true;
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_INHERIT), 1);
	cr_assert(why_says("cannot exclude processes"));
	selfmon_counters_close(set);
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_PROCESS), 1);
	cr_assert(why_says("cannot exclude processes"));
	measure();
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	selfmon_counters_close(set);
	kernel_faults.no_inherit_thread = false;
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_INHERIT), 1);
	cr_assert_not(why_says("cannot exclude processes"));
	selfmon_counters_close(set);
}

static pid_t another_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	pid_t tid = 0;

	cr_assert_not_null(tasks);
	while ((entry = readdir(tasks)))
		if (atoi(entry->d_name) && atoi(entry->d_name) != gettid())
			tid = atoi(entry->d_name);
	closedir(tasks);
	return tid;
}

Test(counters_threads_faults, a_thread_that_ends_meanwhile_is_left_out)
{
	kernel_faults.gone = another_thread();
	cr_assert_eq(open_set("page-faults,dummy", SELFMON_COUNTERS_PROCESS),
		     2);
	cr_assert_eq(failure.error, 0);
	measure();
	cr_assert_eq(delta.flags & SELFMON_DELTA_LOST, 0);
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	selfmon_counters_close(set);
}

static void start_later(void)
{
	pool_start(&later, 1, nothing);
}

static unsigned int opens(const char *spec)
{
	const unsigned int before = kernel_faults.call[FAULT_OPEN].calls;

	cr_assert_eq(open_set(spec, SELFMON_COUNTERS_PROCESS), 1);
	selfmon_counters_close(set);
	return kernel_faults.call[FAULT_OPEN].calls - before;
}

/*
 * A thread that starts while events are opened may have inherited an event or
 * not. So all events are opened again.
 */
Test(counters_threads_faults, a_thread_that_starts_meanwhile_is_counted_once)
{
	unsigned int usual = opens("dummy"), with_start;

	kernel_faults.on_thread_open = start_later;
	with_start = opens("dummy");
	/*
	 * One event for the caller, to find the groups; then one for each
	 * thread; then again one for each thread, with the new one.
	 */
	cr_assert_eq(with_start, 1 + (usual - 1) + usual);
	pool_end(&later);
}

static void *idle(void *barrier)
{
	pthread_barrier_wait(barrier);
	return NULL;
}

static pthread_barrier_t all_started;
static pthread_t started[POOL_MOST];
static unsigned int starts;

static void start_one(void)
{
	cr_assert_lt(starts, POOL_MOST);
	cr_assert_eq(pthread_create(&started[starts++], NULL, idle,
				    &all_started), 0);
	/*
	 * Runs again after the next map of memory, which is between counting
	 * and listing the threads.
	 */
	kernel_faults.meanwhile = start_one;
}

Test(counters_threads_faults, threads_without_end_are_an_error)
{
	struct holdings before;

	cr_assert_eq(open_set("dummy", 0), 1);
	selfmon_counters_close(set);
	before = holdings_now();
	kernel_faults.meanwhile = start_one;
	pthread_barrier_init(&all_started, NULL, POOL_MOST);
	cr_assert_eq(open_set("dummy", SELFMON_COUNTERS_PROCESS), -EAGAIN);
	cr_assert_null(set);
	cr_assert_eq(failure.error, EAGAIN);
	cr_assert_not_null(strstr(failure.message, "kept starting threads"));
	kernel_faults.meanwhile = NULL;
	cr_assert_eq(holdings_now().fds, before.fds);
	while (starts < POOL_MOST)
		start_one();
	while (starts-- > 0)
		pthread_join(started[starts], NULL);
}

/*
 * Makes one call after the other fail, each in its own attempt to open: calls
 * that list the threads, allocate, open, or query a descriptor.
 */
Test(counters_threads_faults, each_call_may_fail_and_nothing_is_left)
{
	struct holdings before = holdings_now();
	unsigned int n = 0;
	int failed = 0;

	do {
		memset(&kernel_faults.any, 0, sizeof(kernel_faults.any));
		kernel_faults.any.alike = UINT_MAX;
		kernel_faults.any.error = EMFILE;
		kernel_faults.any.from = kernel_faults.any.to = ++n;
		if (open_set("dummy", SELFMON_COUNTERS_PROCESS) < 0) {
			cr_assert_null(set);
			cr_assert_gt(failure.error, 0);
			failed++;
		}
		selfmon_counters_close(set);
		/* A descriptor whose event cannot be checked is not closed. */
		if (strcmp(kernel_faults.any.name, "PERF_EVENT_IOC_ID"))
			holdings_assert_back(&before);
		before = holdings_now();
	} while (kernel_faults.any.calls >= n);
	cr_assert_gt(failed, THREADS);
}
