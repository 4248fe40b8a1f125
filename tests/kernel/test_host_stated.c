/* SPDX-License-Identifier: MIT */
/* Limits that docs/HOST.md states: they are as it says. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coroutines.h"
#include "region/process.h"

#ifndef SS_AUTODISARM /* <linux/signal.h> */
#define SS_AUTODISARM (1U << 31)
#endif

static void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

/* ---- fork in a handler ---------------------------------------------------- */

static volatile sig_atomic_t forks, wrong;

/* The child does not return from here. */
static void fork_and_end(int number)
{
	int status;
	pid_t pid;

	(void)number;
	pid = fork();
	if (pid == 0)
		_exit(7);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 7)
		wrong++;
	forks++;
}

Test(host_stated, a_handlers_child_that_ends_there_is_safe, .timeout = 120)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = fork_and_end,
				    .sa_flags = SA_RESTART };
	struct selfmon_report *report;
	uint64_t visits = 0;

	SKIP_IF_SANITIZED("its own locks are not for fork in a handler");
	cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
	cr_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (; forks < 100; visits++)
		visit();
	cr_assert_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
	cr_assert_eq(wrong, 0);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "visit")->visits, visits);
	selfmon_report_free(report);
}

/* ---- a stack for signals that cannot be seen ------------------------------ */

static void visit_in_handler(int number)
{
	(void)number;
	SELFMON_REGION("in handler")
	{
	}
}

static __attribute__((noinline)) void raise_inside_of_a_region(void)
{
	SELFMON_REGION("interrupted")
	{
		raise(SIGUSR1);
	}
}

Test(host_stated, a_stack_inside_of_the_own_that_disarms_itself_is_not_seen)
{
	char inside[1 << 16];
	const stack_t stack = { .ss_sp = inside, .ss_size = sizeof(inside),
				.ss_flags = (int)SS_AUTODISARM };
	struct sigaction action = { .sa_handler = visit_in_handler,
				    .sa_flags = SA_ONSTACK };
	struct selfmon_report *report;

	SKIP_IF_SANITIZED("its stacks are laid out in another way");
	if (sigaltstack(&stack, NULL))
		cr_skip_test("a kernel before 4.7: no SS_AUTODISARM");
	cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
	raise_inside_of_a_region();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "interrupted")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "interrupted")->visits, 0);
	selfmon_report_free(report);
}

/* ---- a live file that others cut short ------------------------------------ */

static void lose_the_file(const char *path)
{
	setenv("SELFMON_OUTPUT", "none", 1);
	setenv("SELFMON_EVENTS", "none", 1);
	setenv("SELFMON_LIVE", path, 1);
	signal(SIGBUS, SIG_DFL);
	visit();
	if (truncate(path, 0))
		_exit(2);
	visit();
	_exit(3);
}

Test(host_stated, a_live_file_that_others_cut_short_is_the_programs_end)
{
	char path[64];
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "/tmp/selfmon-stated-%d", getpid());
	pid = fork();
	if (pid == 0)
		lose_the_file(path);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	unlink(path);
	cr_assert(WIFSIGNALED(status), "status %#x", (unsigned int)status);
	cr_assert_eq(WTERMSIG(status), SIGBUS);
}

/* ---- coroutines above their thread's stack, under a span ------------------- */

static struct selfmon_frame request;

/* Values that read(2) gives are measured on the way on which each is seen. */
static void setup_time_alone(void)
{
	setenv("SELFMON_EVENTS", "none", 1);
	setup();
}

static void visit_b(void)
{
	SELFMON_REGION("b")
	{
		yield(1);
	}
	yield(1);
}

static void span_of(int i, const char *name)
{
	struct selfmon_frame frame;

	selfmon_enter(selfmon_region(name), &frame);
	yield(i);
	selfmon_leave(&frame);
	yield(i);
}

static void span_a(void)
{
	span_of(0, "a");
}

static void span_b(void)
{
	span_of(1, "b");
}

/* The one that entered first, further up, leaves first. */
static void take_turns(void (*a)(void), void (*b)(void))
{
	make(0, a, ABOVE, 1);
	make(1, b, ABOVE, 0);
	resume(0);
	resume(1);
	resume(0);
	resume(1);
}

static void *regions_under_a_span(void *unused)
{
	selfmon_enter(selfmon_region("request"), &request);
	take_turns(visit_a, visit_b);
	selfmon_leave(&request);
	return unused;
}

static void *spans_under_a_span(void *unused)
{
	selfmon_enter(selfmon_region("request"), &request);
	take_turns(span_a, span_b);
	selfmon_leave(&request);
	return unused;
}

static void *regions_in_a_region_under_a_span(void *unused)
{
	selfmon_enter(selfmon_region("request"), &request);
	SELFMON_REGION("turns")
	{
		take_turns(visit_a, visit_b);
	}
	selfmon_leave(&request);
	return unused;
}

/* Of all places of a region. */
static struct selfmon_row all_of(const struct selfmon_report *report,
				 const char *name)
{
	struct selfmon_row all = { .visits = 0 };
	const struct selfmon_row *row;
	size_t i;

	for (i = 0; i < selfmon_report_rows(report); i++) {
		row = selfmon_report_row(report, i);
		if (strcmp(row->name, name) != 0)
			continue;
		all.visits += row->visits;
		all.cut_off += row->cut_off;
		all.switched += row->switched;
	}
	return all;
}

/* The first visits of a path go the way on which each is seen. */
Test(host_stated, coroutines_above_their_thread_are_taken_for_its_own_in_a_span,
     .init = setup_time_alone)
{
	struct selfmon_report *report;
	struct selfmon_row a, b;

	on_thread(regions_under_a_span, NULL);
	report = rows_take();
	a = all_of(report, "a");
	b = all_of(report, "b");
	cr_assert_eq(a.visits, TIMES);
	cr_assert_lt(a.switched, TIMES);
	cr_assert_gt(b.cut_off, 0);
	cr_assert_eq(b.visits + b.cut_off, TIMES);
	cr_assert_eq(selfmon_process()->stale, b.cut_off);
	cr_assert_not(row_named(report, "a")->exclusive_valid);
	selfmon_report_free(report);
}

static void check_none_cut_off(uint64_t switched)
{
	struct selfmon_report *report = rows_take();
	struct selfmon_row all;
	int i;

	for (i = 0; i < 2; i++) {
		all = all_of(report, i ? "b" : "a");
		cr_assert_eq(all.visits, TIMES);
		cr_assert_eq(all.cut_off, 0);
		cr_assert_geq(all.switched, switched);
	}
	cr_assert_eq(selfmon_process()->stale, 0);
	selfmon_report_free(report);
}

Test(host_stated, but_not_if_they_have_spans_themselves, .init = setup_time_alone)
{
	on_thread(spans_under_a_span, NULL);
	check_none_cut_off(0);
}

Test(host_stated, nor_in_a_region_of_the_threads_in_the_span, .init = setup_time_alone)
{
	on_thread(regions_in_a_region_under_a_span, NULL);
	check_none_cut_off(TIMES);
}
