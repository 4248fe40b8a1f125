/* SPDX-License-Identifier: MIT */
/* Tests the clock of this machine, with each source that it has. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
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

Test(clock, is_kept_by_a_forked_child)
{
	const struct selfmon_clock *const kept = selfmon_clock();
	const pid_t child = fork();
	int status = -1;

	if (child == 0) {
		const struct selfmon_clock *clock;

		alarm(20);
		clock = selfmon_clock();
		if (clock->source == SELFMON_CLOCK_NONE || clock->mult == 0)
			_exit(1);
		_exit(clock->mult == kept->mult ? 0 : 2);
	}
	cr_assert_gt(child, 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0, "%x", (unsigned int)status);
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
