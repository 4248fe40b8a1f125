/* SPDX-License-Identifier: MIT */
/*
 * Tests a handler with regions that interrupts the program while it opens
 * counter sets. In each child the handler interrupts at another time. If the
 * handler waits for the code that it interrupted, the test kills the child
 * after 20 s.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <selfmon.h>

#include "platform/once.h"
#include "sanitizer.h"

#define CHILDREN 25
#define SETS 300

static void visit(int signo)
{
	(void)signo;
	SELFMON_REGION("in a handler")
	{
	}
}

/* Interrupts the program after this time, and then every 100 us. */
static void interrupt_after(int us)
{
	const struct itimerval timer = { { 0, 100 }, { 0, us } };

	signal(SIGALRM, visit);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void open_in_child(const char *events, int us)
{
	struct selfmon_counters *set;
	int status, waited;
	pid_t pid = fork();

	if (pid == 0) {
		interrupt_after(us);
		selfmon_counters_open(events, 0, &set, NULL);
		_exit(0);
	}
	cr_assert_gt(pid, 0);
	for (waited = 0; waitpid(pid, &status, WNOHANG) == 0; waited++) {
		if (waited == 20000)
			kill(pid, SIGKILL);
		usleep(1000);
	}
	cr_assert(WIFEXITED(status), "it waits for ever");
}

static void open_in_children(const char *events)
{
	int i;

	for (i = 0; i < CHILDREN; i++)
		open_in_child(events, 1 + i * 400 / CHILDREN);
}

static void configure(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
}

Test(host_opening, a_handler_may_come_while_a_parents_events_are_closed)
{
	struct selfmon_counters *set;
	int i;

	configure("none");
	for (i = 0; i < SETS; i++)
		if (selfmon_counters_open("task-clock", 0, &set, NULL) < 1)
			cr_skip_test("no event can be opened");
	open_in_children("task-clock");
}

Test(host_opening, or_while_libpfm_is_loaded)
{
	SKIP_IF_SANITIZED("libpfm allocates, and a handler calls it");
	configure("task-clock,BR_INST_RETIRED");
	open_in_children("BR_INST_RETIRED");
}

/*
 * A child must not wait for a thread of its parent, since it has no such
 * thread.
 */
Test(host_opening, nor_does_a_child_wait_for_a_thread_of_its_parents)
{
	struct selfmon_once turn = { NULL };
	struct selfmon_critical aside;
	int status;
	pid_t pid;

	cr_assert_eq(selfmon_once_begin(&turn, &aside), 1);
	pid = fork();
	if (pid == 0) {
		selfmon_kernel_restore_signals(&aside.signals);
		alarm(10);
		_exit(selfmon_once_begin(&turn, &aside));
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "signal %d", WTERMSIG(status));
	cr_assert_eq(WEXITSTATUS(status), 1);
}
