/* SPDX-License-Identifier: MIT */
/*
 * Tests regions in a program that calls fork, clone, vfork or spawn, or becomes
 * a daemon.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "children.h"
#include "form.h"
#include "holds.h"
#include "store/process.h"
#include "session/end.h"
#include "sanitizer.h"
#include "store/self.h"

#define THREADS 4
#define HELD 2 /* descriptors that a thread holds if it counts events */

static void count_events(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "page-faults,task-clock";
	cr_assert_eq(selfmon_configure(&options), 0);
}

/* Threads that have visited a region and wait for their release. */
struct staying {
	pthread_t thread[THREADS];
	pthread_barrier_t visited, leave;
};

static void *stay(void *staying)
{
	visit();
	pthread_barrier_wait(&((struct staying *)staying)->visited);
	pthread_barrier_wait(&((struct staying *)staying)->leave);
	return NULL;
}

static void let_stay(struct staying *staying)
{
	int i;

	pthread_barrier_init(&staying->visited, NULL, THREADS + 1);
	pthread_barrier_init(&staying->leave, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&staying->thread[i], NULL, stay,
					    staying), 0);
	pthread_barrier_wait(&staying->visited);
}

static void let_go(struct staying *staying)
{
	int i;

	pthread_barrier_wait(&staying->leave);
	for (i = 0; i < THREADS; i++)
		pthread_join(staying->thread[i], NULL);
}

Test(host_processes, a_child_closes_its_parents_counters_at_its_first_visit)
{
	struct staying staying;
	pid_t pid;

	count_events();
	visit();
	let_stay(&staying);
	cr_assert_eq(holds_events_from(0), HELD * (THREADS + 1));
	pid = fork();
	if (pid == 0) {
		if (holds_events_from(0) != HELD * (THREADS + 1))
			_exit(10);
		visit();
		if (holds_events_from(0) != HELD)
			_exit(11);
		_exit(own_work_only(1));
	}
	cr_assert_eq(status_of(pid), 0);
	cr_assert_eq(holds_events_from(0), HELD * (THREADS + 1));
	let_go(&staying);
	cr_assert_eq(holds_events_from(0), HELD);
}

Test(host_processes, a_child_may_ask_for_that_without_a_visit)
{
	struct staying staying;
	pid_t pid;

	count_events();
	let_stay(&staying);
	pid = fork();
	if (pid == 0)
		_exit(selfmon_prepare() || holds_events_from(0) != HELD);
	cr_assert_eq(status_of(pid), 0);
	let_go(&staying);
}

static uint64_t task_clock_sum(void)
{
	struct selfmon_report *report;
	uint64_t sum;

	cr_assert_eq(selfmon_report_take(&report), 0);
	sum = ROWS_GET(report, "visit")->counter[1].sum;
	selfmon_report_free(report);
	return sum;
}

/* The descriptors of parent and child refer to the same events. */
Test(host_processes, the_end_of_a_child_stops_no_event_of_its_parents)
{
	uint64_t before;
	pid_t pid;

	count_events();
	visit();
	pid = fork();
	if (pid == 0) {
		selfmon_unload();
		_exit(0);
	}
	cr_assert_eq(status_of(pid), 0);
	before = task_clock_sum();
	visit();
	cr_assert_gt(task_clock_sum(), before);
}

/* Opens a file of the program at each number that an event had. */
static int take_over(int *taken)
{
	const int null = open("/dev/null", O_RDONLY);
	int count = 0, fd;

	for (fd = 3; fd < HOLDS_FDS; fd++)
		if (holds_event(fd) && dup2(null, fd) == fd)
			taken[count++] = fd;
	return count;
}

static int still_open(const int *taken, int count)
{
	int open = 0, i;

	for (i = 0; i < count; i++)
		open += fcntl(taken[i], F_GETFD) >= 0;
	return open;
}

Test(host_processes, a_child_closes_no_file_of_the_hosts_in_place_of_an_event)
{
	struct staying staying;
	int taken[HOLDS_FDS];
	pid_t pid;

	count_events();
	let_stay(&staying);
	pid = fork();
	if (pid == 0) {
		const int count = take_over(taken);

		visit();
		if (count != HELD * THREADS || still_open(taken, count) != count)
			_exit(10);
		_exit(own_work_only(1));
	}
	cr_assert_eq(status_of(pid), 0);
	let_go(&staying);
}

Test(host_processes, nor_does_a_thread_that_ends)
{
	struct staying staying;
	int taken[HOLDS_FDS];
	int count;

	count_events();
	let_stay(&staying);
	count = take_over(taken);
	cr_assert_eq(count, HELD * THREADS);
	let_go(&staying);
	cr_assert_eq(still_open(taken, count), count);
}

Test(host_processes, events_stay_out_of_the_numbers_for_select)
{
	struct rlimit limit;
	int least = 1024;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_cur < 2048)
		least = (int)limit.rlim_cur / 2;
	count_events();
	visit();
	cr_assert_eq(holds_events_from(least), HELD);
	cr_assert_eq(holds_events_from(0), HELD);
}

Test(host_processes, a_child_by_raw_clone_starts_afresh)
{
	pid_t pid;

	SKIP_IF_SANITIZED("it does not see raw clone");
	count_events();
	SELFMON_REGION("around")
	{
		visit();
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
	}
	if (pid == 0) {
		visit();
		visit();
		if (holds_events_from(0) != HELD)
			_exit(10);
		_exit(own_work_only(2));
	}
	cr_assert_eq(status_of(pid), 0);
}

static pid_t vfork_and_visit(void)
{
	const pid_t pid = vfork();

	if (pid == 0) {
		visit();
		_exit(0);
	}
	return pid;
}

static void *vfork_first(void *unused)
{
	pid_t pid;

	(void)unused;
	pid = vfork_and_visit();
	cr_assert_eq(status_of(pid), 0);
	visit();
	visit();
	return NULL;
}

Test(host_processes, a_child_of_vfork_opens_nothing_in_its_parents_name)
{
	struct selfmon_report *report;
	pthread_t thread;

	SKIP_IF_SANITIZED("it does not support vfork");
	count_events();
	SELFMON_REGION("first")
	{
	}
	cr_assert_eq(pthread_create(&thread, NULL, vfork_first, NULL), 0);
	pthread_join(thread, NULL);
	report = rows_take();
	/* The report shows the child's visits as not measured. */
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "visit")->counter[0].visits, 2);
	cr_assert_geq(selfmon_thread_unready(), 1);
	selfmon_report_free(report);
}

Test(host_processes, a_child_of_vfork_visits_in_its_parents_name)
{
	struct selfmon_report *report;
	pid_t pid;

	SKIP_IF_SANITIZED("it does not support vfork");
	visit();
	SELFMON_REGION("around")
	{
		pid = vfork_and_visit();
	}
	cr_assert_eq(status_of(pid), 0);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "around", "visit")->visits, 1);
	selfmon_report_free(report);
}

Test(host_processes, a_program_that_is_spawned_inherits_no_event)
{
	char *const arguments[] = {
		(char *)"sh", (char *)"-c",
		(char *)"! ls -l /proc/self/fd | grep -q perf_event", NULL
	};
	struct selfmon_report *report;
	char *none[] = { NULL };
	pid_t pid;

	count_events();
	SELFMON_REGION("around")
	{
		cr_assert_eq(posix_spawn(&pid, "/bin/sh", NULL, NULL,
					 arguments, none), 0);
		cr_assert_eq(status_of(pid), 0);
	}
	cr_assert_eq(holds_events_from(0), HELD);
	pid = fork();
	if (pid == 0) {
		visit();
		execv("/bin/sh", arguments);
		_exit(10);
	}
	cr_assert_eq(status_of(pid), 0);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "around")->visits, 1);
	selfmon_report_free(report);
}

/*
 * Visits regions with 20,000 new names, and then the same regions again. Each
 * call of selfmon_region() takes the lock, so the lock is held almost always.
 */
static void *visit_new(void *stop)
{
	unsigned int i;
	char name[32];

	for (i = 0; !__atomic_load_n((int *)stop, __ATOMIC_RELAXED); i++) {
		snprintf(name, sizeof(name), "%p %u", (void *)&name,
			 i % 20000);
		SELFMON_REGION_OF(selfmon_region(name))
		{
			visit();
		}
	}
	return NULL;
}

Test(host_processes, forks_while_threads_make_regions, .timeout = 600)
{
	/*
	 * With a race detector, a fork copies so much shadow memory that it
	 * takes a second.
	 */
	const int forks = by_form(30, 100, SANITIZED_THREADS ? 100 : 3000);
	pthread_t thread[THREADS];
	int stop = 0, i;
	pid_t pid;

	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, visit_new,
					    &stop), 0);
	for (i = 0; i < forks; i++) {
		pid = fork();
		if (pid == 0) {
			/* Kills the child if it waits for a lock forever. */
			alarm(60);
			selfmon_region("made in the child");
			visit();
			visit();
			_exit(own_work_only(2));
		}
		cr_assert_eq(status_of(pid), 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}
