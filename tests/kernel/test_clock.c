/* SPDX-License-Identifier: MIT */
/* Tests the clock of this machine, with each source that it has. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock/calibrate.h"
#include "clock/clock.h"
#include "platform/kernel.h"

#define NS_PER_S UINT64_C(1000000000)
#define READS 1000000
#define TIGHT 64

static const struct selfmon_clock *
clock_forced(enum selfmon_clock_source source)
{
	const struct selfmon_clock *clock;

	cr_assert_eq(selfmon_clock_force(source), 0);
	clock = selfmon_clock();
	if (clock->source != source && source != SELFMON_CLOCK_NONE)
		cr_skip_test("this machine's clock source is not %s, but %s",
			     selfmon_clock_source_name(source),
			     selfmon_clock_source_name(clock->source));
	return clock;
}

static void assert_monotonic(void)
{
	uint64_t last = selfmon_clock_ticks();
	int i;

	for (i = 0; i < READS; i++) {
		const uint64_t now = selfmon_clock_ticks();

		cr_assert_geq(now, last);
		last = now;
	}
}

/*
 * Compares the timestamp counter with CLOCK_MONOTONIC_RAW over at least one
 * second.
 */
static void assert_accurate(const struct selfmon_clock *clock)
{
	struct selfmon_clock_pair from, to;
	const uint64_t allowed = clock->error_ppm > 200 ? clock->error_ppm
							: 200;
	uint64_t ns, raw_ns, off;

	selfmon_clock_pair_take(&from, TIGHT);
	do {
		selfmon_kernel_sleep_ns(NS_PER_S / 10);
		selfmon_clock_pair_take(&to, TIGHT);
	} while (to.raw_ns - from.raw_ns < NS_PER_S);
	ns = selfmon_clock_ns(clock, to.ticks - from.ticks);
	raw_ns = to.raw_ns - from.raw_ns;
	off = ns > raw_ns ? ns - raw_ns : raw_ns - ns;
	cr_log_info("%s: %lu Hz +- %u ppm, off by %lu ns in %lu ns",
		    selfmon_clock_source_name(clock->source),
		    (unsigned long)clock->hz, clock->error_ppm,
		    (unsigned long)off, (unsigned long)raw_ns);
	cr_assert_leq(off * 1000000, raw_ns * allowed, "%s: %lu ns in %lu ns",
		      selfmon_clock_source_name(clock->source),
		      (unsigned long)off, (unsigned long)raw_ns);
}

static void check_source(enum selfmon_clock_source source)
{
	const struct selfmon_clock *clock = clock_forced(source);

	assert_monotonic();
	if (selfmon_clock_direct())
		assert_accurate(clock);
}

Test(clock, of_this_machine_is_monotonic_and_accurate)
{
	check_source(SELFMON_CLOCK_NONE);
}

Test(clock, by_perf_page_is_monotonic_and_accurate)
{
	check_source(SELFMON_CLOCK_PERF_PAGE);
}

Test(clock, by_cpuid_is_monotonic_and_accurate)
{
	check_source(SELFMON_CLOCK_CPUID);
}

Test(clock, by_hypervisor_is_monotonic_and_accurate)
{
	check_source(SELFMON_CLOCK_HYPERVISOR);
}

Test(clock, by_calibration_is_monotonic_and_accurate)
{
	check_source(SELFMON_CLOCK_CALIBRATED);
}

Test(clock, by_calibration_knows_its_error)
{
	const struct selfmon_clock *clock =
		clock_forced(SELFMON_CLOCK_CALIBRATED);

	cr_assert_gt(clock->error_ppm, 0);
	cr_assert_leq(clock->error_ppm, 1000);
}

Test(clock, by_calibration_is_the_surer_the_later_it_is_asked_for)
{
	cr_assert_eq(selfmon_clock_force(SELFMON_CLOCK_CALIBRATED), 0);
	selfmon_clock_anchor();
	if (!selfmon_clock_direct())
		cr_skip_test("the timestamp counter is no clock here");
	selfmon_kernel_sleep_ns(20000000);
	cr_assert_leq(selfmon_clock()->error_ppm, 200);
}

Test(clock, by_gettime_is_clock_monotonic_itself)
{
	const struct selfmon_clock *clock = clock_forced(SELFMON_CLOCK_GETTIME);
	const uint64_t before = selfmon_kernel_monotonic_ns();
	const uint64_t ns = selfmon_clock_ns(clock, selfmon_clock_ticks());

	cr_assert_leq(before, ns);
	cr_assert_leq(ns, selfmon_kernel_monotonic_ns());
	cr_assert_not(selfmon_clock_direct());
	cr_assert_eq(clock->hz, NS_PER_S);
	assert_monotonic();
}

Test(clock, ticks_by_the_counter_where_it_is_direct)
{
	uint64_t before, ticks;

	if (!selfmon_clock_direct())
		cr_skip_test("the timestamp counter is no clock here");
	before = selfmon_arch_timestamp();
	selfmon_arch_fence();
	ticks = selfmon_clock_ticks();
	selfmon_arch_fence();
	cr_assert_leq(before, ticks);
	cr_assert_leq(ticks, selfmon_arch_timestamp());
}

Test(clock, knows_its_tick_source_before_it_is_chosen)
{
	const bool direct = selfmon_clock_direct();

	cr_assert_eq(direct,
		     selfmon_clock()->source != SELFMON_CLOCK_GETTIME);
}

Test(clock, bounds_events_before_and_after_it_is_chosen)
{
	const uint32_t before = selfmon_clock_max_events_per_tick();
	const uint64_t hz = selfmon_clock()->hz;
	const uint32_t after = selfmon_clock_max_events_per_tick();

	cr_assert_geq(before * hz, 16 * NS_PER_S);
	cr_assert_geq(after * hz, 16 * NS_PER_S);
	cr_assert_leq(after, before);
}

Test(clock, cannot_be_forced_once_anchored)
{
	selfmon_clock_anchor();
	cr_assert_eq(selfmon_clock_force(SELFMON_CLOCK_GETTIME), -EBUSY);
}

static void *ask(void *answer)
{
	*(struct selfmon_clock *)answer = *selfmon_clock();
	return NULL;
}

Test(clock, is_the_same_for_eight_threads_that_ask_at_once)
{
	struct selfmon_clock answers[8];
	pthread_t threads[8];
	int i;

	for (i = 0; i < 8; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, ask,
					    &answers[i]), 0);
	for (i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	cr_assert_neq(answers[0].source, SELFMON_CLOCK_NONE);
	for (i = 1; i < 8; i++) {
		cr_assert_eq(answers[i].source, answers[0].source);
		cr_assert_eq(answers[i].mult, answers[0].mult);
		cr_assert_eq(answers[i].shift, answers[0].shift);
	}
}

/*
 * Forks a child that checks its clock: the clock must be valid, and have the
 * rate of `expected` if that is not NULL. Returns the child's wait status, 0 if
 * the check passed.
 */
static int child_compares(const struct selfmon_clock *expected)
{
	const pid_t child = fork();
	int status = -1;

	if (child == 0) {
		const struct selfmon_clock *clock;

		alarm(20);
		clock = selfmon_clock();
		if (clock->source == SELFMON_CLOCK_NONE || clock->mult == 0)
			_exit(1);
		if (expected != NULL && clock->mult != expected->mult)
			_exit(2);
		_exit(0);
	}
	cr_assert_gt(child, 0);
	waitpid(child, &status, 0);
	return status;
}

Test(clock, is_kept_by_a_forked_child)
{
	cr_assert_eq(child_compares(selfmon_clock()), 0);
}

/*
 * Runs in a detached thread. ThreadSanitizer would report a joinable thread as
 * a leak in a forked child, which cannot join it.
 */
static void *ask_and_tell(void *done)
{
	selfmon_clock();
	__atomic_store_n((bool *)done, true, __ATOMIC_RELEASE);
	return NULL;
}

/*
 * Each round waits ROUND_NS longer between the start of the thread and the
 * fork. Choosing the clock takes some hundred microseconds, so some of the
 * forks happen while the thread chooses.
 */
#define ROUNDS 64
#define ROUND_NS 5000

static void let_pass(int round)
{
	const uint64_t until = selfmon_kernel_monotonic_ns() +
			       (uint64_t)round * ROUND_NS;

	while (selfmon_kernel_monotonic_ns() < until)
		;
}

static int fork_while_another_chooses(int round, int (*fork_one)(void))
{
	pthread_t thread;
	bool done = false;
	int result;

	selfmon_clock_anchor();
	if (pthread_create(&thread, NULL, ask_and_tell, &done))
		return 6;
	pthread_detach(thread);
	let_pass(round);
	result = fork_one();
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		sched_yield();
	return result;
}

static int fork_a_child(void)
{
	return child_compares(NULL);
}

Test(clock, is_chosen_anew_in_a_child_forked_while_another_thread_chose)
{
	int round, status;

	for (round = 0; round < ROUNDS; round++) {
		const pid_t child = fork();

		if (child == 0)
			_exit(fork_while_another_chooses(round, fork_a_child) !=
			      0);
		cr_assert_eq(waitpid(child, &status, 0), child);
		cr_assert_eq(status, 0, "%x", (unsigned int)status);
	}
}

/*
 * Calls the function in a child that has id 1 in a new PID namespace. Returns
 * the function's result, -1 if no namespace can be made, 3 if the child was
 * killed, or 4 if the child hung.
 */
static int in_namespace(int (*what)(void))
{
	const pid_t child = unshare(CLONE_NEWPID) ? -1 : fork();
	int status = -1, tries;

	if (child == 0)
		_exit(what());
	if (child < 0)
		return -1;
	for (tries = 0; tries < 5000; tries++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
		selfmon_kernel_sleep_ns(1000000);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return 4;
}

static int ask_as_the_first(void)
{
	if (getpid() != 1)
		return 5;
	return selfmon_clock()->source == SELFMON_CLOCK_NONE;
}

static int round_now;

static int fork_the_first(void)
{
	return in_namespace(ask_as_the_first);
}

static int fork_a_namesake(void)
{
	return fork_while_another_chooses(round_now, fork_the_first);
}

Test(clock, so_it_is_where_both_are_the_first_of_a_pid_namespace)
{
	int status;

	for (round_now = 0; round_now < ROUNDS; round_now++) {
		const pid_t child = fork();

		if (child == 0)
			_exit(in_namespace(fork_a_namesake));
		cr_assert_eq(waitpid(child, &status, 0), child);
		if (status == 255 << 8)
			cr_skip_test("no PID namespaces for this user");
		cr_assert_eq(status, 0, "%x", (unsigned int)status);
	}
}

Test(clock, is_no_cancellation_point)
{
	struct selfmon_clock answer = { 0 };
	pthread_t thread;

	alarm(20); /* if the wait never ends */
	selfmon_clock_anchor();
	cr_assert_eq(pthread_create(&thread, NULL, ask, &answer), 0);
	selfmon_kernel_sleep_ns(5000000);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	cr_assert_neq(selfmon_clock()->source, SELFMON_CLOCK_NONE);
	cr_assert_neq(answer.source, SELFMON_CLOCK_NONE);
}

/*
 * Waits until the thread was blocked and has used CPU time, however long this
 * takes on a busy machine. The thread need not be preempted.
 */
Test(clock, a_thread_knows_its_cpu_time_and_context_switches)
{
	struct selfmon_thread_usage from, to;
	const struct timespec moment = { .tv_nsec = 1000000 };

	selfmon_thread_usage(&from);
	do {
		nanosleep(&moment, NULL);
		selfmon_thread_usage(&to);
	} while (to.blocked == from.blocked || to.cpu_ns == from.cpu_ns);
	cr_expect_gt(to.cpu_ns, from.cpu_ns);
	cr_assert_geq(to.preempted, from.preempted);
}
