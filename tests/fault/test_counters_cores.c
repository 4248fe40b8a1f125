/* SPDX-License-Identifier: MIT */
/*
 * Tests sets on a machine with several core types: which events are opened, for
 * which threads, and how they are read.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <selfmon.h>

#include "counters/set.h"
#include "event/sysfs.h"
#include "fault/kernel_faults.h"
#include "folder.h"
#include "store/process.h"

static char root[] = "/tmp/selfmon-cores-XXXXXX";
static struct selfmon_counters *set;
static struct selfmon_failure failure;

static void make_file(const char *pmu, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, pmu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", root, pmu, name);
	file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_machine(const char *core_cpus, const char *atom_cpus)
{
	cr_assert_not_null(mkdtemp(root));
	make_file("cpu_core", "type", "4\n");
	make_file("cpu_core", "cpus", core_cpus);
	make_file("cpu_atom", "type", "10\n");
	make_file("cpu_atom", "cpus", atom_cpus);
	selfmon_sysfs_root = root;
	kernel_faults_clear();
	kernel_faults.pmu = true;
}

static void remove_machine(void)
{
	selfmon_counters_close(set);
	folder_remove(root);
}

TestSuite(counters_cores, .fini = remove_machine);

static struct selfmon_counter_info info_of(size_t i)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };

	cr_assert_eq(selfmon_counters_info(set, i, &info), 0);
	return info;
}

static void expect_member(size_t i, const char *name, enum selfmon_group group)
{
	const struct selfmon_counter_info info = info_of(i);

	cr_expect_str_eq(info.name, name);
	cr_expect_eq(info.group, group, "%s: %d", name, (int)info.group);
}

Test(counters_cores, a_thread_that_roams_has_a_group_for_each_type)
{
	make_machine("900-901", "902-903");
	cr_assert_eq(selfmon_counters_open("cycles,page-faults,instructions",
					   0, &set, &failure), 5);
	expect_member(0, "cpu_core/cycles/", SELFMON_GROUP_FIRST);
	expect_member(1, "cpu_core/instructions/", SELFMON_GROUP_FIRST);
	expect_member(2, "page-faults", SELFMON_GROUP_KERNEL);
	expect_member(3, "cpu_atom/cycles/", SELFMON_GROUP_MORE);
	expect_member(4, "cpu_atom/instructions/", SELFMON_GROUP_MORE);
}

Test(counters_cores, a_thread_that_roams_reads_by_system_call)
{
	make_machine("900-901", "902-903");
	cr_assert_eq(selfmon_counters_open("cycles", 0, &set, &failure), 2);
	cr_expect(set->flags & SELFMON_IMPL_SET_SYSCALL);
	cr_expect_eq(info_of(0).verdict, SELFMON_SYSCALL);
	cr_expect_not_null(strstr(selfmon_set_of(set)->why_syscall, "Pin it"));
}

Test(counters_cores, a_type_that_is_named_alone_is_safe_as_well)
{
	make_machine("900-901", "902-903");
	cr_assert_eq(selfmon_counters_open("cpu_atom/cycles/", 0, &set,
					   &failure), 1);
	cr_expect(set->flags & SELFMON_IMPL_SET_SYSCALL);
}

/*
 * The thread may be on the other core type, so a group that never runs must not
 * be dropped.
 */
Test(counters_cores, a_group_that_never_runs_here_is_kept)
{
	make_machine("900-901", "902-903");
	kernel_faults.counters = 0;
	cr_assert_eq(selfmon_counters_open("cycles", 0, &set, &failure), 2);
}

Test(counters_cores, a_strict_set_takes_all_types)
{
	make_machine("900-901", "902-903");
	cr_assert_eq(selfmon_counters_open("cycles", SELFMON_COUNTERS_STRICT,
					   &set, &failure), 2);
	expect_member(1, "cpu_atom/cycles/", SELFMON_GROUP_MORE);
}

/*
 * If a type had two groups, time off the PMU could mean a rotation or a core of
 * another type. So events that do not fit are dropped.
 */
Test(counters_cores, what_does_not_fit_into_a_types_group_is_dropped)
{
	make_machine("900-901", "902-903");
	kernel_faults.largest = 1;
	cr_assert_eq(selfmon_counters_open("cycles,instructions", 0, &set,
					   &failure), 2);
	expect_member(0, "cpu_core/cycles/", SELFMON_GROUP_FIRST);
	expect_member(1, "cpu_atom/cycles/", SELFMON_GROUP_MORE);
	cr_expect_str_eq(failure.event, "cpu_core/instructions/");
}

static void pin(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)sched_getcpu(), &cpus);
	cr_assert_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

/* Makes all existing CPUs belong to the second type. */
static void make_pinned(void)
{
	pin();
	make_machine("900-901", "0-899");
}

Test(counters_cores, a_pinned_thread_counts_its_own_type_in_user_space)
{
	make_pinned();
	cr_assert_eq(selfmon_counters_open("cycles,instructions", 0, &set,
					   &failure), 2);
	expect_member(0, "cpu_atom/cycles/", SELFMON_GROUP_FIRST);
	expect_member(1, "cpu_atom/instructions/", SELFMON_GROUP_FIRST);
	cr_expect_not(set->flags & SELFMON_IMPL_SET_SYSCALL);
	cr_expect_eq(info_of(0).verdict, SELFMON_EXACT);
	cr_expect_eq(failure.error, 0);
	cr_assert_not_null(info_of(2).failure);
	cr_expect_not_null(strstr(info_of(2).failure->message, "pinned"));
}

/*
 * Simulates a seccomp filter that forbids the query, or a kernel with more CPUs
 * than the library supports.
 */
Test(counters_cores, one_that_cannot_know_where_it_may_run_roams)
{
	make_pinned();
	kernel_faults.no_affinity = EINVAL;
	cr_assert_eq(selfmon_counters_open("cycles", 0, &set, &failure), 2);
	expect_member(0, "cpu_core/cycles/", SELFMON_GROUP_FIRST);
	expect_member(1, "cpu_atom/cycles/", SELFMON_GROUP_MORE);
	cr_expect(set->flags & SELFMON_IMPL_SET_SYSCALL);
}

Test(counters_cores, a_pinned_strict_set_wants_its_own_type_alone)
{
	make_pinned();
	cr_assert_eq(selfmon_counters_open("{cycles,page-faults}",
					   SELFMON_COUNTERS_STRICT, &set,
					   &failure), 2);
	expect_member(0, "cpu_atom/cycles/", SELFMON_GROUP_FIRST);
	expect_member(1, "page-faults", SELFMON_GROUP_KERNEL);
}

Test(counters_cores, a_set_with_members_left_out_says_so)
{
	make_machine("900-901", "902-903");
	cr_assert_eq(selfmon_counters_open("@branch", 0, &set, &failure), 8);
	cr_expect_eq(failure.error, 0);
	selfmon_counters_close(set);
	cr_assert_eq(selfmon_counters_open("cs,@branch", 0, &set, &failure), 7);
	cr_expect_eq(failure.error, E2BIG);
	cr_expect_not_null(strstr(failure.message,
				  "leaves out cycles"));
	selfmon_counters_close(set);
	cr_expect_eq(selfmon_counters_open("cs,@branch",
					   SELFMON_COUNTERS_STRICT, &set,
					   &failure), -E2BIG);
}

static bool written(enum selfmon_format format, const char *words)
{
	struct selfmon_report *report;
	char *text = NULL;
	size_t size;
	FILE *const stream = open_memstream(&text, &size);
	bool found;

	cr_assert_eq(selfmon_report_take(&report), 0);
	cr_assert_eq(selfmon_report_write(report, format, stream), 0);
	fclose(stream);
	selfmon_report_free(report);
	found = strstr(text, words) != NULL;
	free(text);
	return found;
}

static void *prepare(void *unused)
{
	cr_expect_eq(selfmon_thread_prepare(), 0);
	return unused;
}

static void count_in_regions(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	prepare(NULL);
}

Test(counters_cores, a_report_has_what_is_left_out_of_a_set)
{
	make_machine("900-901", "902-903");
	count_in_regions("cs,@branch");
	cr_expect(written(SELFMON_TEXT, "not counted  @branch leaves out "
					"cycles: at most 8"));
	cr_expect(written(SELFMON_JSON, "\"events_reason\": \"@branch leaves "
					"out cycles: at most"));
}

static void *prepare_pinned(void *unused)
{
	pin();
	return prepare(unused);
}

/*
 * The list needs more events than a set can have, so one event is left out in
 * all threads. The pinned thread must not be reported as limited for that.
 */
Test(counters_cores, a_pinned_thread_is_not_limited_by_what_is_left_out)
{
	pthread_t thread;
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	if (!CPU_ISSET(0, &cpus) || CPU_COUNT(&cpus) < 2)
		cr_skip_test("needs CPU 0 and another one");
	make_machine("0", "1-899");
	count_in_regions("cs,@branch");
	cr_assert_eq(pthread_create(&thread, NULL, prepare_pinned, NULL), 0);
	pthread_join(thread, NULL);
	cr_expect_eq(selfmon_process()->limited[SELFMON_LIMITED_LESS].threads,
		     0);
}
