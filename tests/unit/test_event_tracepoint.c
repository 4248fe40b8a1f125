/* SPDX-License-Identifier: MIT */
/* Tests tracepoints by name, with trees like those of tracefs. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <selfmon/event.h>

#include "event/sysfs.h"
#include "event/tracepoint.h"
#include "platform/pfm.h"
#include "unit/test_event_tree.h"

static const struct tree_file files[] = {
	{ "events/header_page", "" },
	{ "events/sched/sched_switch/id", "372\n" },
	{ "events/sched/sched_wakeup/id", "374\n" },
	{ "events/syscalls/sys_enter_write/id", "840\n" },
	{ "events/syscalls/odd/id", "many\n" },
	{ NULL, NULL },
};

static const char *roots[] = { "/nonexistent", NULL, NULL };

static void make(void)
{
	tree_make(files);
	roots[1] = selfmon_sysfs_root;
	selfmon_tracefs_roots = roots;
	selfmon_pfm_library = NULL;
}

TestSuite(event_tracepoint, .init = make, .fini = tree_remove);

static void expect_fault(const char *spec, int error, size_t position,
			 const char *message)
{
	struct selfmon_failure failure = { 0 };
	struct selfmon_events events;
	const int ret = selfmon_events_parse(spec, &events, &failure);

	cr_expect_eq(ret, -error, "'%s' gives %d", spec, ret);
	cr_expect_eq(failure.position, position, "'%s': at %zu", spec,
		     failure.position);
	cr_expect_str_eq(failure.message, message);
}

Test(event_tracepoint, takes_the_id_of_the_second_root)
{
	struct selfmon_events events;

	cr_assert_eq(selfmon_events_parse(
			     "syscalls:sys_enter_write,sched:sched_switch:k",
			     &events, NULL), 2);
	cr_expect_eq(events.event[0].type, PERF_TYPE_TRACEPOINT);
	cr_expect_eq(events.event[0].config, 840);
	cr_expect_eq(events.event[0].flags, SELFMON_EVENT_KERNEL_FIRED);
	cr_expect_eq(events.event[1].config, 372);
	cr_expect_eq(events.event[1].flags, SELFMON_EVENT_KERNEL_FIRED |
						    SELFMON_EVENT_KERNEL);
	cr_expect_str_eq(events.event[1].name, "sched:sched_switch:k");
}

Test(event_tracepoint, names_the_nearest_one_of_the_system)
{
	expect_fault("cs,sched:sched_swich", ENOENT, 9,
		     "unknown tracepoint 'sched:sched_swich' (did you mean "
		     "'sched:sched_switch'?)");
	expect_fault("sycalls:sys_enter_write", ENOENT, 0,
		     "unknown event 'sycalls:sys_enter_write' (did you mean "
		     "the tracepoint 'syscalls:sys_enter_write'?)");
}

Test(event_tracepoint, says_where_to_look_when_none_is_near)
{
	char message[256];

	snprintf(message, sizeof(message),
		 "unknown tracepoint 'sched:zzz': see %s/events/sched",
		 roots[1]);
	expect_fault("sched:zzz", ENOENT, 6, message);
}

Test(event_tracepoint, says_that_tracefs_is_not_mounted)
{
	char message[256];

	roots[1] = NULL;
	snprintf(message, sizeof(message),
		 "unknown event 'sched:sched_switch': %s; if it is a "
		 "tracepoint, tracefs is not mounted. As root: mount -t "
		 "tracefs tracefs /sys/kernel/tracing", selfmon_pfm_why_not());
	expect_fault("cs,sched:sched_switch", ENODEV, 3, message);
}

static int errno_of(const char *bare, const char *closed)
{
	static const char *two[3];
	struct selfmon_events events;

	two[0] = bare;
	two[1] = closed;
	selfmon_tracefs_roots = two;
	return -selfmon_events_parse("sched:sched_switch", &events, NULL);
}

/* Only root may read debugfs, whether tracefs is mounted there or not. */
Test(event_tracepoint, does_not_take_a_closed_debugfs_for_tracefs)
{
	const char *const closed = selfmon_sysfs_root;
	int bare, none;

	cr_assert_eq(chmod(closed, 0), 0);
	if (geteuid() == 0)
		cr_assert_eq(seteuid(65534), 0);
	bare = errno_of("/", closed);
	none = errno_of("/nonexistent", closed);
	if (getuid() == 0)
		cr_assert_eq(seteuid(0), 0);
	chmod(closed, 0700);
	cr_expect_eq(bare, ENODEV);
	cr_expect_eq(none, EACCES);
}

/* A name from a manual that contains a colon looks like a tracepoint. */
static void expect_both_causes(const char *libpfm)
{
	struct selfmon_failure failure = { 0 };
	struct selfmon_events events;

	roots[1] = NULL;
	cr_expect_eq(selfmon_events_parse("inst_retired:any_q", &events,
					  &failure), -ENODEV);
	cr_expect(strstr(failure.message, libpfm), "%s", failure.message);
	cr_expect(strstr(failure.message, "tracefs is not mounted"), "%s",
		  failure.message);
}

Test(event_tracepoint, names_the_package_of_libpfm_beside_tracefs)
{
	if (!strstr(selfmon_pfm_why_not(), "libpfm4"))
		cr_skip_test("%s", selfmon_pfm_why_not());
	expect_both_causes("libpfm (Debian: libpfm4)");
}

Test(event_tracepoint, says_that_libpfm_does_not_know_the_cpu_either)
{
	selfmon_pfm_library = "libpfm.so.4";
	setenv("LIBPFM_FORCE_PMU", "amd64_fam17h_zen1", 1);
	if (selfmon_pfm_why_not())
		expect_both_causes(selfmon_pfm_why_not());
	else
		expect_both_causes("libpfm knows no such event of this CPU");
}

Test(event_tracepoint, keeps_names_inside_of_tracefs)
{
	struct selfmon_failure failure;
	struct selfmon_events events;

	cr_expect_lt(selfmon_events_parse("..:sched", &events, &failure), 0);
	cr_expect_lt(selfmon_events_parse("sched:..", &events, &failure), 0);
	cr_expect_lt(selfmon_events_parse("syscalls:odd", &events, &failure),
		     0);
}

Test(event_tracepoint, leaves_misspelt_names_with_modifiers_alone)
{
	expect_fault("cycels:u", ENOENT, 0,
		     "unknown event 'cycels' (did you mean 'cycles'?)");
	expect_fault("cycels:z", ENOENT, 0,
		     "unknown event 'cycels' (did you mean 'cycles'?)");
}
