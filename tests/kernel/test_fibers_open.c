/* SPDX-License-Identifier: MIT */
/*
 * Tests the open visits of fibers that are suspended, or destroyed while
 * suspended.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>

#include "kernel/fiber_work.h"

Test(fibers, that_are_suspended_have_their_visits_open)
{
	struct selfmon_report *report;
	struct job job[3];
	int i;

	choose("none");
	for (i = 0; i < 3; i++) {
		job_make(&job[i], "job", pause_once);
		job_run(&job[i]);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "job")->open, 3);
	cr_assert_eq(ROWS_GET(report, "job", "request", "read")->open, 3);
	cr_assert_not(ROWS_GET(report, "job")->exclusive_valid);
	selfmon_report_free(report);
	for (i = 0; i < 2; i++) {
		job_run(&job[i]);
		job_end(&job[i]);
	}
	/* The third fiber is destroyed while it is suspended. */
	job_end(&job[2]);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "job")->open, 0);
	cr_assert_eq(ROWS_GET(report, "job")->visits, 3);
	cr_assert_eq(ROWS_GET(report, "job", "request")->open, 0);
	cr_assert_eq(ROWS_GET(report, "job", "request")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "job", "request")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "job", "request", "read")->cut_off, 1);
	selfmon_report_free(report);
}

/* One fiber is suspended before the interval, and two inside of it. */
Test(fibers, that_are_suspended_are_open_once_in_an_interval)
{
	struct selfmon_report *first, *second, *interval;
	struct job job[3];
	int i;

	choose("none");
	for (i = 0; i < 3; i++)
		job_make(&job[i], "job", pause_once);
	job_run(&job[0]);
	first = rows_take();
	job_run(&job[1]);
	job_run(&job[2]);
	second = rows_take();
	cr_assert_eq(selfmon_report_subtract(second, first, &interval), 0);
	cr_assert_eq(ROWS_GET(interval, "job")->open, 3);
	cr_assert_eq(ROWS_GET(interval, "job", "request", "read")->open, 3);
	selfmon_report_free(interval);
	selfmon_report_free(second);
	selfmon_report_free(first);
	for (i = 0; i < 3; i++)
		job_end(&job[i]);
}

static struct selfmon_report *report_of_file(pid_t pid)
{
	struct selfmon_failure failure = { .error = 0 };
	struct selfmon_report *report = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-fibers-%d", pid);
	cr_assert_eq(selfmon_report_open(path, &report, &failure), 0, "%s",
		     failure.message);
	unlink(path);
	return report;
}

/*
 * Two fibers stay suspended. A third fiber runs while the thread's region
 * "loop" is open.
 */
static void suspend_with_live_file(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	static struct selfmon_frame frame[2];
	static struct job job[3];
	int i;

	options.events = "none";
	options.live = "/dev/shm/selfmon-test-fibers-%p";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	for (i = 0; i < 3; i++)
		job_make(&job[i], "job", pause_once);
	for (i = 0; i < 2; i++)
		job_run(&job[i]);
	job_run(&job[2]);
	job_run(&job[2]); /* the job runs to its end */
	selfmon_enter(selfmon_region("loop"), &frame[0]);
	selfmon_fiber_switch(job[2].fiber);
	selfmon_enter(selfmon_region("runs"), &frame[1]);
}

static void expect_all_open(const struct selfmon_report *report)
{
	const struct selfmon_row *row = ROWS_GET(report, "job");

	cr_assert_eq(row->open, 3);
	cr_assert_not(row->exclusive_valid);
	row = ROWS_GET(report, "job", "request", "read");
	cr_assert_eq(row->open, 2);
	cr_assert_eq(row->visits, 1);
	cr_assert_eq(row->suspended, 1);
	cr_assert_eq(ROWS_GET(report, "job", "runs")->open, 1);
	cr_assert_eq(ROWS_GET(report, "loop")->open, 1);
}

Test(fibers, that_are_suspended_have_their_visits_open_in_a_live_file)
{
	struct selfmon_report *report;

	suspend_with_live_file();
	report = rows_take();
	expect_all_open(report);
	selfmon_report_free(report);
	report = report_of_file(getpid());
	expect_all_open(report);
	cr_assert(rows_say(report, SELFMON_JSON, "\"open\": 3, "));
	selfmon_report_free(report);
}

Test(fibers, of_a_killed_process_have_their_visits_open_in_its_live_file)
{
	struct selfmon_report *report;
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		suspend_with_live_file();
		raise(SIGKILL);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	report = report_of_file(pid);
	expect_all_open(report);
	selfmon_report_free(report);
}

static atomic_int runs;

static uint64_t wait_after(uint64_t begin, uint64_t end)
{
	uint64_t now;

	do
		now = selfmon_clock_ticks();
	while (now - end < 10 * (end - begin));
	return now;
}

Test(fibers, that_are_destroyed_while_suspended_have_the_time_until_then)
{
	struct selfmon_fiber *fiber;
	struct selfmon_report *report;
	uint64_t ran, end, now, ns;

	choose("none");
	warm();
	fiber = selfmon_fiber_create("job");
	ran = selfmon_clock_ticks();
	selfmon_fiber_switch(fiber);
	SELFMON_REGION("inside")
		atomic_load(&runs);
	selfmon_fiber_switch(NULL);
	end = selfmon_clock_ticks();
	now = wait_after(ran, end);
	selfmon_fiber_destroy(fiber);
	ran = end - ran + selfmon_clock_ticks() - now;
	report = rows_take();
	ns = selfmon_clock_ns(selfmon_clock(), ran);
	/* Allows 1 %: the clock's estimate of its rate may have changed. */
	cr_assert_leq(ROWS_GET(report, "job")->time.sum, ns + ns / 100 + 1);
	selfmon_report_free(report);
}
