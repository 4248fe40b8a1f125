/* SPDX-License-Identifier: MIT */
/*
 * Tests fibers that the program uses wrongly: on two threads at once, destroyed
 * while they run, or in a forked child.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "kernel/fiber_work.h"

static atomic_int runs, may_end;

static void *run_and_wait(void *fiber)
{
	selfmon_fiber_switch(fiber);
	atomic_store(&runs, 1);
	while (!atomic_load(&may_end))
		usleep(100);
	SELFMON_REGION("inside")
		atomic_load(&runs);
	selfmon_fiber_switch(NULL);
	return NULL;
}

static bool has_note(const struct selfmon_report *report, const char *words)
{
	const size_t notes = selfmon_report_note_count(report);
	size_t i;

	for (i = 0; i < notes; i++)
		if (strstr(selfmon_report_note(report, i), words))
			return true;
	return false;
}

Test(fibers, are_run_by_one_thread_at_a_time)
{
	struct selfmon_fiber *const fiber = selfmon_fiber_create("job");
	struct selfmon_report *report;
	pthread_t thread;

	choose("none");
	cr_assert_eq(pthread_create(&thread, NULL, run_and_wait, fiber), 0);
	while (!atomic_load(&runs))
		usleep(100);
	SELFMON_REGION("own") {
		selfmon_fiber_switch(fiber);
		SELFMON_REGION("lost")
			atomic_load(&runs);
		selfmon_fiber_switch(NULL);
		SELFMON_REGION("found")
			selfmon_fiber_destroy(fiber); /* no effect: in use */
	}
	atomic_store(&may_end, 1);
	pthread_join(thread, NULL);
	selfmon_fiber_destroy(fiber);
	report = rows_take();
	cr_assert(has_note(report, "switched to a fiber that another thread runs"));
	cr_assert_null(ROWS_FIND(report, "own", "lost"));
	cr_assert_eq(report->unready, 1);
	cr_assert_eq(ROWS_GET(report, "own")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "own", "found")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "job")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "job", "inside")->visits, 1);
	selfmon_report_free(report);
}

/*
 * Without memory, selfmon_fiber_create() returns NULL, so all functions accept
 * NULL. A scheduler's loop also passes NULL for the thread's own stack.
 */
Test(fibers, without_memory_may_be_used)
{
	struct selfmon_report *report;

	choose("none");
	selfmon_fiber_switch(NULL);
	SELFMON_REGION("own") {
		selfmon_fiber_switch(NULL);
		selfmon_fiber_destroy(NULL);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "own")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "own")->suspended, 0);
	selfmon_report_free(report);
}

Test(fibers, that_are_destroyed_while_they_run_are_recorded)
{
	struct selfmon_fiber *fiber = selfmon_fiber_create("job");
	struct selfmon_report *report;

	choose("none");
	SELFMON_REGION("own") {
		selfmon_fiber_switch(fiber);
		selfmon_fiber_destroy(fiber);
		SELFMON_REGION("lost")
			atomic_load(&runs);
		selfmon_fiber_switch(NULL);
		SELFMON_REGION("found")
			atomic_load(&runs);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "job")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "own")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "own", "found")->visits, 1);
	cr_assert_eq(report->unready, 1);
	selfmon_report_free(report);
}

/* ---- fork --------------------------------------------------------------- */

static void visit_in_child(void)
{
	SELFMON_REGION("child")
		atomic_load(&runs);
}

static int in_child(struct selfmon_fiber *fiber)
{
	struct selfmon_report *report;

	selfmon_fiber_switch(NULL);
	visit_in_child();
	selfmon_fiber_switch(fiber);
	SELFMON_REGION("lost")
		atomic_load(&runs);
	selfmon_fiber_switch(NULL);
	visit_in_child();
	selfmon_fiber_destroy(fiber);
	fiber = selfmon_fiber_create("own");
	selfmon_fiber_switch(fiber);
	selfmon_fiber_switch(NULL);
	selfmon_fiber_destroy(fiber);
	if (selfmon_report_take(&report))
		return 1;
	if (ROWS_FIND(report, "parent") || ROWS_FIND(report, "job") ||
	    ROWS_FIND(report, "lost"))
		return 2;
	if (ROWS_GET(report, "child")->visits != 2)
		return 3;
	if (report->unready != 1)
		return 5;
	return ROWS_GET(report, "own")->visits == 1 ? 0 : 4;
}

Test(fibers, are_not_there_in_a_forked_child)
{
	struct selfmon_fiber *const fiber = selfmon_fiber_create("job");
	struct selfmon_report *report;
	int status;
	pid_t pid;

	choose("none");
	SELFMON_REGION("parent") {
		selfmon_fiber_switch(fiber);
		SELFMON_REGION("inside") {
			pid = fork();
			if (pid == 0)
				_exit(in_child(fiber));
			cr_assert_eq(waitpid(pid, &status, 0), pid);
			cr_assert_eq(status, 0, "status %x", status);
		}
		selfmon_fiber_switch(NULL);
	}
	selfmon_fiber_destroy(fiber);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "job", "inside")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "parent")->visits, 1);
	selfmon_report_free(report);
}
