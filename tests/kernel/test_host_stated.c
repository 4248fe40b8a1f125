/* SPDX-License-Identifier: MIT */
/* Tests the limits that docs/HOST.md states. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rows.h"
#include "sanitizer.h"

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

#define FORKS 100

static volatile sig_atomic_t forks, wrong;

/*
 * Requests a single signal. A periodic timer would leave no time for the
 * program if a fork takes longer than the period.
 */
static void send_soon(void)
{
	const struct itimerval soon = { { 0, 0 }, { 0, 500 } };

	setitimer(ITIMER_REAL, &soon, NULL);
}

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
	if (++forks < FORKS)
		send_soon();
}

Test(host_stated, a_handlers_child_that_ends_there_is_safe, .timeout = 120)
{
	struct sigaction action = { .sa_handler = fork_and_end,
				    .sa_flags = SA_RESTART };
	struct selfmon_report *report;
	uint64_t visits = 0;

	SKIP_IF_SANITIZED("its own locks are not for fork in a handler");
	cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
	send_soon();
	for (; forks < FORKS; visits++)
		visit();
	cr_assert_eq(wrong, 0);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "visit")->visits, visits);
	selfmon_report_free(report);
}

/* ---- a signal stack that cannot be queried ------------------------------- */

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

	SKIP_IF_SANITIZED("it uses another stack layout");
	if (sigaltstack(&stack, NULL))
		cr_skip_test("a kernel before 4.7: no SS_AUTODISARM");
	cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
	raise_inside_of_a_region();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "interrupted")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "interrupted")->visits, 0);
	selfmon_report_free(report);
}

/* ---- a live file that another process truncates -------------------------- */

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
