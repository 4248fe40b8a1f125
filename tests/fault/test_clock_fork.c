/* SPDX-License-Identifier: MIT */
/*
 * Tests a fork while another thread chooses the clock. That thread stops at the
 * opening of the event that it chooses by, until the child has ended.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock/clock.h"
#include "fault/kernel_faults.h"
#include "platform/kernel.h"

/* Time after which a child counts as hung. */
#define HUNG_MS 20000

enum { GOOD, NO_CLOCK, NOT_FIRST, KILLED, HUNG, NO_THREAD, UNSEEN,
       NO_NAMESPACE };

static bool choosing, chosen, child_ended;

static void wait_for_the_child(void)
{
	__atomic_store_n(&choosing, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&child_ended, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void *choose(void *unused)
{
	(void)unused;
	selfmon_clock();
	__atomic_store_n(&chosen, true, __ATOMIC_RELEASE);
	return NULL;
}

/*
 * Forks a child that exits with the function's result. `flags` are those of
 * unshare(2) for the child. Returns the child's result, or another of the
 * values above.
 */
static int in_child(int (*function)(void), int flags)
{
	const pid_t child = flags && unshare(flags) ? -1 : fork();
	int status = -1, ms;

	if (child == 0)
		_exit(function());
	if (child < 0)
		return NO_NAMESPACE;
	for (ms = 0; ms < HUNG_MS; ms++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED;
		selfmon_kernel_sleep_ns(1000000);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return HUNG;
}

/* Returns the result of in_child() while another thread chooses the clock. */
static int while_another_chooses(int (*function)(void), int flags)
{
	pthread_t thread;
	int result = UNSEEN;

	kernel_faults_clear();
	kernel_faults.on_open = wait_for_the_child;
	selfmon_clock_anchor();
	if (pthread_create(&thread, NULL, choose, NULL))
		return NO_THREAD;
	while (!__atomic_load_n(&choosing, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&chosen, __ATOMIC_ACQUIRE))
		sched_yield();
	if (choosing)
		result = in_child(function, flags);
	__atomic_store_n(&child_ended, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	return result;
}

static int ask(void)
{
	return selfmon_clock()->source == SELFMON_CLOCK_NONE ? NO_CLOCK : GOOD;
}

static int ask_as_the_first(void)
{
	return getpid() == 1 ? ask() : NOT_FIRST;
}

static int fork_a_namesake(void)
{
	return while_another_chooses(ask_as_the_first, CLONE_NEWPID);
}

static void check(int result)
{
	if (result == UNSEEN)
		cr_skip_test("this machine's clock is chosen without an event");
	if (result == NO_NAMESPACE)
		cr_skip_test("no PID namespaces for this user");
	cr_assert_eq(result, GOOD, "%d", result);
}

Test(clock_fork, clock_is_chosen_anew_in_a_child)
{
	check(while_another_chooses(ask, 0));
}

Test(clock_fork, clock_is_chosen_anew_where_both_have_pid_1)
{
	check(in_child(fork_a_namesake, CLONE_NEWPID));
}
