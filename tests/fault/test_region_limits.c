/* SPDX-License-Identifier: MIT */
/*
 * Tests threads that reach a limit: what they measure, and what the report says
 * about it.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <selfmon.h>
#include <selfmon/doctor.h>

#include "counters/set.h"
#include "fault/kernel_faults.h"
#include "kernel/holdings.h"
#include "session/thread.h"
#include "store/process.h"
#include "store/self.h"

#define THREADS 3

static void setup(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	kernel_faults_clear();
	kernel_faults.pmu = true;
	options.events = "cycles,instructions";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
}

TestSuite(region_limits, .init = setup);

/*
 * Prepares the thread without visiting a region: the PMU is simulated, so
 * counters cannot be read.
 */
static void *prepare(void *flags)
{
	const struct selfmon_thread *thread;

	cr_assert_eq(selfmon_thread_prepare(), 0);
	thread = selfmon_thread_attach();
	*(uint32_t *)flags = thread->set ? thread->set->flags : UINT32_MAX;
	return NULL;
}

static uint32_t prepare_thread(void)
{
	uint32_t flags = 0;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, prepare, &flags), 0);
	pthread_join(thread, NULL);
	return flags;
}

static const char *reason(enum selfmon_step_down step)
{
	static char text[512];

	selfmon_explain(&selfmon_process()->limited[step].failure, text,
			sizeof(text));
	return text;
}

static void assert_limited(uint64_t slow, uint64_t less, uint64_t time)
{
	const struct selfmon_limited *limited = selfmon_process()->limited;

	cr_assert_eq(limited[SELFMON_LIMITED_SLOW].threads, slow);
	cr_assert_eq(limited[SELFMON_LIMITED_LESS].threads, less);
	cr_assert_eq(limited[SELFMON_LIMITED_TIME].threads, time);
}

Test(region_limits, a_thread_with_all_it_asked_for_is_not_reported)
{
	cr_assert_eq(prepare_thread(), 0);
	assert_limited(0, 0, 0);
}

Test(region_limits, without_locked_memory_a_thread_reads_by_system_call)
{
	struct holdings before;
	int i;

	selfmon_thread_prepare();
	before = holdings_now();
	kernel_faults_from(FAULT_MAP, 1, EPERM);
	for (i = 0; i < THREADS; i++)
		cr_assert(prepare_thread() & SELFMON_IMPL_SET_SYSCALL);
	assert_limited(THREADS, 0, 0);
	cr_assert(strstr(reason(SELFMON_LIMITED_SLOW), "perf_event_mlock_kb") ||
			  strstr(reason(SELFMON_LIMITED_SLOW), "MEMLOCK"),
		  "%s", reason(SELFMON_LIMITED_SLOW));
	holdings_assert_back(&before);
}

Test(region_limits, the_first_thread_is_reported_too)
{
	kernel_faults_from(FAULT_MAP, 1, EPERM);
	cr_assert(prepare_thread() & SELFMON_IMPL_SET_SYSCALL);
	assert_limited(1, 0, 0);
}

Test(region_limits, half_of_the_maps_are_the_hosts)
{
	kernel_faults.path = "/proc/sys/vm/max_map_count";
	kernel_faults.text = "4";
	selfmon_thread_prepare();
	assert_limited(0, 0, 0);
	cr_assert(prepare_thread() & SELFMON_IMPL_SET_SYSCALL);
	assert_limited(1, 0, 0);
	cr_assert(strstr(reason(SELFMON_LIMITED_SLOW),
			 "As root: sysctl -w vm.max_map_count=65536"),
		  "%s", reason(SELFMON_LIMITED_SLOW));
}

Test(region_limits, with_too_few_descriptors_a_thread_counts_less)
{
	selfmon_thread_prepare();
	kernel_faults_at(FAULT_OPEN, 2, EMFILE);
	prepare_thread();
	assert_limited(0, 1, 0);
	cr_assert(strstr(reason(SELFMON_LIMITED_LESS), "ulimit -n"));
}

Test(region_limits, with_no_descriptor_a_thread_measures_time_alone)
{
	selfmon_thread_prepare();
	kernel_faults_from(FAULT_OPEN, 1, EMFILE);
	prepare_thread();
	assert_limited(0, 0, 1);
	cr_assert(strstr(reason(SELFMON_LIMITED_TIME), "ulimit -n"));
}
