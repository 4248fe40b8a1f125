/* SPDX-License-Identifier: MIT */
/* Tests regions and forked children. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "children.h"
#include "form.h"
#include "store/process.h"
#include "sanitizer.h"

Test(region_fork, a_child_counts_its_own_work_from_zero)
{
	pid_t pid;
	int i;

	for (i = 0; i < 5; i++)
		visit();
	pid = fork();
	if (pid == 0) {
		visit();
		visit();
		_exit(own_work_only(2));
	}
	cr_assert_eq(status_of(pid), 0);
}

Test(region_fork, a_fork_inside_of_a_region_leaves_the_childs_visit_out)
{
	struct selfmon_report *report;
	pid_t pid;

	SELFMON_REGION("around")
	{
		pid = fork();
	}
	visit();
	if (pid == 0)
		_exit(own_work_only(1));
	cr_assert_eq(status_of(pid), 0);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "around")->visits, 1);
	selfmon_report_free(report);
}

Test(region_fork, a_child_with_counters_touches_no_page_of_its_parent)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	pid_t pid;

	options.events = "page-faults,task-clock";
	cr_assert_eq(selfmon_configure(&options), 0);
	SELFMON_REGION("around")
	{
		pid = fork();
	}
	if (pid == 0) {
		visit();
		_exit(own_work_only(1));
	}
	cr_assert_eq(status_of(pid), 0);
}

Test(region_fork, a_grandchild_starts_afresh_too)
{
	pid_t pid, grandchild;
	int status;

	visit();
	pid = fork();
	if (pid == 0) {
		visit();
		grandchild = fork();
		if (grandchild == 0) {
			visit();
			visit();
			visit();
			_exit(own_work_only(3));
		}
		if (waitpid(grandchild, &status, 0) != grandchild ||
		    !WIFEXITED(status) || WEXITSTATUS(status))
			_exit(3);
		_exit(own_work_only(1));
	}
	cr_assert_eq(status_of(pid), 0);
}

/*
 * Calls gmtime_r(), which takes and releases the C library's lock of time
 * zones, until *stop is set.
 */
static void *ask_the_date(void *stop)
{
	const time_t moment = 0;
	struct tm utc;

	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
		gmtime_r(&moment, &utc);
	return NULL;
}

Test(region_fork, a_childs_report_waits_for_no_lock_that_a_thread_held,
     .timeout = 120)
{
	pthread_t thread[4];
	const int forks = quick_or_all(25, 100);
	int stop = 0, i;
	pid_t pid;

	SKIP_IF_SANITIZED("its allocator leaves a child its locks");
	for (i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, ask_the_date,
					    &stop), 0);
	for (i = 0; i < forks; i++) {
		pid = fork();
		if (pid == 0) {
			/* Ends the test instead of letting it wait forever. */
			alarm(30);
			visit();
			_exit(own_work_only(1));
		}
		cr_assert_eq(status_of(pid), 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}
