/* SPDX-License-Identifier: MIT */
/*
 * Tests counter sets with software events, which the running kernel really
 * counts.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <selfmon/counters.h>

#include "kernel/holdings.h"
#include "kernel/sets.h"
#include "no_event.h"
#include "platform/kernel.h"

static struct selfmon_counter_info info_of(size_t i)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };

	cr_assert_eq(selfmon_counters_info(set, i, &info), 0);
	return info;
}

static uint64_t clock_now(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

/* ---- counts -------------------------------------------------------------- */

Test(counters, page_faults_of_touched_pages_are_exact)
{
	cr_assert_eq(open_set("page-faults", 0), 1);
	measure_faults();
	cr_assert_eq(delta.value[0].count, PAGES);
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(delta.flags & ~SELFMON_DELTA_MIGRATED, 0);
	cr_assert_gt(delta.ticks, 0);
	selfmon_counters_close(set);
}

Test(counters, task_clock_agrees_with_the_threads_cpu_time)
{
	uint64_t cpu, wall;

	cr_assert_eq(open_set("task-clock", 0), 1);
	wall = clock_now(CLOCK_MONOTONIC);
	selfmon_counters_begin(set, &a);
	cpu = clock_now(CLOCK_THREAD_CPUTIME_ID);
	while (clock_now(CLOCK_THREAD_CPUTIME_ID) < cpu + 30000000)
		;
	cpu = clock_now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	sleep_ms(1);
	selfmon_counters_end(set, &b);
	wall = clock_now(CLOCK_MONOTONIC) - wall;
	selfmon_counters_delta(set, &a, &b, &delta);
	/* Some kernels subtract the time of interrupts from CPU time. */
	cr_assert_geq(delta.value[0].count, cpu - cpu / 20);
	cr_assert_leq(delta.value[0].count, wall + wall / 20);
	selfmon_counters_close(set);
}

Test(counters, task_clock_stands_still_while_the_thread_sleeps)
{
	cr_assert_eq(open_set("task-clock", 0), 1);
	selfmon_counters_begin(set, &a);
	sleep_ms(200);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_lt(delta.value[0].count, 100000000);
	cr_assert_gt(delta.value[0].count, 0);
	selfmon_counters_close(set);
}

Test(counters, context_switches_count_or_say_why_not)
{
	int i;

	if (open_set("context-switches", 0) == 0) {
		cr_assert_eq(failure.error, EACCES);
		cr_assert(failure.kernel_asked);
		cr_skip_test("context-switches needs more rights");
	}
	cr_assert(info_of(0).kernel);
	selfmon_counters_begin(set, &a);
	for (i = 0; i < 5; i++)
		sleep_ms(1);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_geq(delta.value[0].count, 5);
	selfmon_counters_close(set);
}

Test(counters, context_switches_in_user_mode_are_refused_with_the_reason)
{
	cr_assert_eq(open_set("context-switches:u,page-faults", 0), 1);
	cr_assert_eq(failure.error, EINVAL);
	cr_assert_eq(failure.step, SELFMON_STEP_POLICY);
	cr_assert(strstr(failure.message, "kernel mode"));
	cr_assert_str_eq(failure.event, "context-switches:u");
	cr_assert_str_eq(info_of(0).name, "page-faults");
	cr_assert_eq(info_of(1).failure->error, EINVAL);
	selfmon_counters_close(set);
}

Test(counters, a_set_without_events_measures_time)
{
	cr_assert_eq(open_set(NULL, 0), 0);
	cr_assert_eq(failure.error, 0);
	measure_faults();
	cr_assert_gt(delta.ticks, 0);
	cr_assert_eq(delta.flags & ~SELFMON_DELTA_MIGRATED, 0);
	cr_assert_eq(delta.value[0].verdict, SELFMON_NOT_COUNTED);
	selfmon_counters_close(set);
}

/* ---- members that cannot be opened --------------------------------------- */

Test(counters, dropped_events_do_not_disturb_the_rest)
{
	cr_assert_eq(open_set("page-faults," NO_EVENT ",dummy", 0), 2);
	cr_assert_neq(failure.error, 0);
	/* On riscv64 the event opens, but no counter can count it: EBUSY. */
	cr_assert(failure.step == SELFMON_STEP_OPEN ||
		  (failure.step == SELFMON_STEP_POLICY &&
		   failure.error == EBUSY));
	cr_assert_eq(failure.position, strlen("page-faults,"));
	cr_assert_str_eq(info_of(0).name, "page-faults");
	cr_assert_str_eq(info_of(1).name, "dummy");
	cr_assert_str_eq(info_of(2).name, NO_EVENT);
	cr_assert_null(info_of(0).failure);
	cr_assert_eq(info_of(0).verdict, SELFMON_SYSCALL);
	cr_assert_eq(info_of(2).verdict, SELFMON_NOT_COUNTED);
	cr_assert_str_eq(info_of(2).failure->event, NO_EVENT);
	measure_faults();
	cr_assert_eq(delta.value[0].count, PAGES);
	cr_assert_eq(delta.value[1].verdict, SELFMON_SYSCALL);
	cr_assert_eq(delta.value[2].verdict, SELFMON_NOT_COUNTED);
	cr_assert_eq(delta.value[2].count, 0);
	selfmon_counters_close(set);
}

Test(counters, hardware_events_without_a_pmu_are_not_there)
{
	const int count = open_set("cycles,page-faults,instructions", 0);

	if (count == 3)
		cr_skip_test("this machine has a PMU");
	cr_assert_eq(count, 1);
	cr_assert_eq(failure.error, ENOENT);
	cr_assert_str_eq(failure.event, "cycles");
	cr_assert_str_eq(info_of(0).name, "page-faults");
	cr_assert_str_eq(info_of(1).name, "cycles");
	cr_assert_str_eq(info_of(2).name, "instructions");
	cr_assert_eq(info_of(2).failure->error, ENOENT);
	measure_faults();
	cr_assert_eq(delta.value[0].count, PAGES);
	selfmon_counters_close(set);
}

Test(counters, braces_are_all_or_nothing)
{
	cr_assert_eq(open_set("{dummy,context-switches:u},page-faults", 0), 1);
	cr_assert_str_eq(info_of(0).name, "page-faults");
	cr_assert_eq(info_of(1).failure->error, ECANCELED);
	cr_assert_eq(info_of(2).failure->error, EINVAL);
	selfmon_counters_close(set);
	cr_assert_eq(open_set("{dummy,task-clock},page-faults", 0), 3);
	selfmon_counters_close(set);
}

Test(counters, braces_hold_across_hardware_and_software)
{
	const struct holdings before = holdings_now();

	cr_assert_eq(open_set("{page-faults," NO_EVENT "},dummy", 0), 1);
	cr_assert_str_eq(info_of(0).name, "dummy");
	cr_assert_str_eq(info_of(1).failure->event, NO_EVENT);
	cr_assert_eq(info_of(2).failure->error, ECANCELED);
	measure_faults();
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	selfmon_counters_close(set);
	holdings_assert_back(&before);
}

Test(counters, strict_opens_all_or_fails)
{
	struct holdings before;

	cr_assert_eq(open_set("page-faults,dummy", SELFMON_COUNTERS_STRICT), 2);
	selfmon_counters_close(set);
	before = holdings_now();
	cr_assert_lt(open_set("page-faults," NO_EVENT ",dummy",
			      SELFMON_COUNTERS_STRICT), 0);
	cr_assert_null(set);
	cr_assert_str_eq(failure.event, NO_EVENT);
	holdings_assert_back(&before);
}

/* ---- number of events ---------------------------------------------------- */

static const char eight_events[] =
	"page-faults,minor-faults,major-faults,dummy,task-clock,cpu-clock,"
	"page-faults,dummy";

static void assert_takes(const struct holdings *before, size_t fds, size_t maps)
{
	const struct holdings now = holdings_now();

	cr_assert_eq(now.fds, before->fds + fds, "%zu more descriptors",
		     now.fds - before->fds);
	cr_assert_eq(now.maps, before->maps + maps, "%zu more maps",
		     now.maps - before->maps);
}

Test(counters, software_events_take_descriptors_and_pages_once_few_are_left)
{
	const struct rlimit limit = { .rlim_cur = 64, .rlim_max = 64 };
	struct selfmon_counters *other[2];
	struct holdings before = holdings_now();
	size_t i;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (i = 0; i < 2; i++) {
		cr_assert_eq(open_set(eight_events, 0), 8);
		other[i] = set;
		assert_takes(&before, 8 * (i + 1), 0);
	}
	cr_assert_eq(open_set(eight_events, 0), 8);
	assert_takes(&before, 16 + 1, 7);
	measure_faults();
	cr_assert_eq(delta.value[6].count, PAGES);
	selfmon_counters_close(set);
	selfmon_counters_close(other[0]);
	selfmon_counters_close(other[1]);
	holdings_assert_back(&before);
}

Test(counters, takes_eight_events)
{
	const struct holdings before = holdings_now();
	size_t i;

	cr_assert_eq(open_set(eight_events, 0), 8);
	measure_faults();
	cr_assert_eq(delta.value[0].count, PAGES);
	cr_assert_eq(delta.value[1].count, PAGES);
	cr_assert_eq(delta.value[6].count, PAGES);
	for (i = 0; i < 8; i++)
		cr_assert_eq(delta.value[i].verdict, SELFMON_SYSCALL);
	selfmon_counters_close(set);
	holdings_assert_back(&before);
	cr_assert_eq(msync(set, 1, MS_ASYNC), -1, "the set's memory is there");
}

Test(counters, refuses_nine_events)
{
	cr_assert_eq(open_set("dummy,dummy,dummy,dummy,dummy,dummy,dummy,"
			      "dummy,dummy", 0), -E2BIG);
	cr_assert_null(set);
	cr_assert_neq(failure.message[0], '\0');
}

Test(counters, refuses_unknown_flags)
{
	cr_assert_eq(open_set("dummy", 1u << 31), -EINVAL);
	cr_assert_null(set);
	cr_assert_not_null(strstr(failure.message, "0x80000000"));
}

/*
 * If the kernel does not know config3, the set must fail: without config3
 * another event would be counted.
 */
Test(counters, config3_is_never_left_out)
{
	const bool known = selfmon_kernel_version() >= 6003;

	if (access("/sys/bus/event_source/devices/software", F_OK))
		cr_skip_test("sysfs is not there");
	cr_assert_eq(open_set("software/config=2,config3=1/",
			      SELFMON_COUNTERS_STRICT), known ? 1 : -E2BIG);
	selfmon_counters_close(set);
}

Test(counters, close_takes_null)
{
	selfmon_counters_close(NULL);
}

/* Size of the struct in version 0.1. */
#define INFO_SIZE_0_1 offsetof(struct selfmon_counter_info, unit)

Test(counters, info_says_what_values_are_in)
{
	cr_assert_eq(open_set("page-faults,task-clock,cpu-clock:u", 0), 3);
	cr_assert_str_eq(info_of(0).unit, "");
	cr_assert_str_eq(info_of(1).unit, "ns");
	cr_assert_str_eq(info_of(2).unit, "ns");
	selfmon_counters_close(set);
}

Test(counters, info_of_0_1_is_filled_in_as_far_as_it_goes)
{
	struct selfmon_counter_info info = { .size = INFO_SIZE_0_1,
					     .unit = "not its own",
					     .group = SELFMON_GROUP_MORE };

	cr_assert_eq(open_set("task-clock", 0), 1);
	cr_assert_eq(selfmon_counters_info(set, 0, &info), 0);
	cr_assert_str_eq(info.name, "task-clock");
	cr_assert_str_eq(info.unit, "not its own");
	cr_assert_eq(info.group, SELFMON_GROUP_MORE);
	selfmon_counters_close(set);
}

Test(counters, info_wants_a_size_and_a_member)
{
	struct selfmon_counter_info info = { .size = INFO_SIZE_0_1 - 1 };

	cr_assert_eq(open_set("page-faults", 0), 1);
	cr_assert_eq(selfmon_counters_info(set, 0, &info), -EINVAL);
	info.size = sizeof(info);
	cr_assert_eq(selfmon_counters_info(set, 0, &info), 0);
	cr_assert_eq(info.group, SELFMON_GROUP_KERNEL);
	cr_assert_eq(selfmon_counters_info(set, 1, &info), -ENOENT);
	selfmon_counters_close(set);
}
