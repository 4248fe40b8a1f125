/* SPDX-License-Identifier: MIT */
/* Tests breakpoints and uprobes: what their names mean, and errors in them. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <selfmon/event.h>

#include "event/probe_event.h"
#include "unit/test_event_tree.h"

TestSuite(probe_event, .init = tree_make_all, .fini = tree_remove);

static struct selfmon_events parse(const char *spec, int count)
{
	struct selfmon_failure failure = { 0 };
	struct selfmon_events events;
	const int ret = selfmon_events_parse(spec, &events, &failure);

	cr_assert_eq(ret, count, "'%s' gives %d: %s", spec, ret,
		     failure.message);
	return events;
}

static void expect_fault(const char *spec, int error, size_t position)
{
	struct selfmon_failure failure = { 0 };
	struct selfmon_events events;
	const int ret = selfmon_events_parse(spec, &events, &failure);

	cr_expect_eq(ret, -error, "'%s' gives %d", spec, ret);
	cr_expect_eq(failure.position, position, "'%s': at %zu: %s", spec,
		     failure.position, failure.message);
	cr_expect(failure.message[0]);
}

/* HW_BREAKPOINT_R is 1, _W 2, _X 4. */
Test(probe_event, takes_breakpoints_in_the_words_of_perf)
{
	static const struct {
		const char *spec;
		uint64_t access, address, length;
	} cases[] = {
		{ "mem:0x601050", 3, 0x601050, 4 },
		{ "mem:0x601050/8", 3, 0x601050, 8 },
		{ "mem:0x601050:w", 2, 0x601050, 4 },
		{ "mem:0x601050/1:r", 1, 0x601050, 1 },
		{ "mem:4096/2:wr", 3, 4096, 2 },
		{ "mem:0x400000:x", 4, 0x400000, sizeof(long) },
		{ "mem:0xffffffffffffffff/8:rw", 3, UINT64_MAX, 8 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct selfmon_events events = parse(cases[i].spec, 1);
		const struct selfmon_event *event = &events.event[0];

		cr_expect_eq(event->type, PERF_TYPE_BREAKPOINT);
		cr_expect_eq(event->config, cases[i].access, "%s",
			     cases[i].spec);
		cr_expect_eq(event->config1, cases[i].address, "%s",
			     cases[i].spec);
		cr_expect_eq(event->config2, cases[i].length, "%s",
			     cases[i].spec);
		cr_expect_eq(event->flags, 0);
	}
}

Test(probe_event, takes_the_comma_behind_a_length_for_what_it_is)
{
	const struct selfmon_events events =
		parse("mem:0x10/8:rw:u,cycles,{mem:0x20/4,cs}:k", 4);

	cr_expect_str_eq(events.event[0].name, "mem:0x10/8:rw:u");
	cr_expect_eq(events.event[0].flags, SELFMON_EVENT_USER);
	cr_expect_str_eq(events.event[1].name, "cycles");
	cr_expect_str_eq(events.event[2].name, "mem:0x20/4:k");
	cr_expect_eq(events.event[2].group, 1);
}

Test(probe_event, says_where_the_fault_in_a_breakpoint_is)
{
	expect_fault("mem:", EINVAL, 4);
	expect_fault("mem:main", EINVAL, 4);
	expect_fault("cs,mem:0x10/9", EINVAL, 12);
	expect_fault("mem:0x10/0", EINVAL, 9);
	expect_fault("mem:0x10/", EINVAL, 9);
	expect_fault("mem:0x10:", EINVAL, 9);
	expect_fault("mem:0x10:rr", EINVAL, 10);
	expect_fault("mem:0x10:rz", EINVAL, 10);
	expect_fault("mem:0x10:wx", EINVAL, 9);
	expect_fault("mem:0x10000000000000000", EINVAL, 4);
}

static void expect_words(const char *spec, int error, const char *words)
{
	struct selfmon_failure failure = { 0 };
	struct selfmon_events events;

	cr_expect_eq(selfmon_events_parse(spec, &events, &failure), -error);
	cr_expect(strstr(failure.message, words), "%s", failure.message);
}

Test(probe_event, tells_a_large_address_from_none)
{
	expect_words("mem:0xffffffffffffffffff", EINVAL,
		     "is too large: it has at most 64 bits");
	expect_words("mem:main", EINVAL, "is not a number");
}

Test(probe_event, has_no_probes_of_returns)
{
	expect_words("cs,uretprobe:/lib/x:sym", EOPNOTSUPP,
		     "only uprobe: is supported");
	expect_words("uretprobe:main", EOPNOTSUPP, "only uprobe: is supported");
}

Test(probe_event, writes_the_breakpoint_of_a_variable)
{
	char spec[SELFMON_EVENT_NAME_SIZE];
	struct selfmon_events events;
	static int variable;
	int length;

	length = selfmon_event_watch(spec, sizeof(spec), &variable,
				     sizeof(variable), "rw");
	cr_assert_eq(length, (int)strlen(spec));
	events = parse(spec, 1);
	cr_expect_eq(events.event[0].config1, (uintptr_t)&variable);
	cr_expect_eq(events.event[0].config2, sizeof(variable));
	cr_expect_eq(events.event[0].config, 3);
}

Test(probe_event, writes_no_breakpoint_that_no_cpu_has)
{
	static char spec[SELFMON_EVENT_NAME_SIZE];

	cr_expect_eq(selfmon_event_watch(spec, sizeof(spec), spec, 3, "w"),
		     -EINVAL);
	cr_expect_eq(selfmon_event_watch(spec, sizeof(spec), spec, 16, "w"),
		     -EINVAL);
	cr_expect_eq(selfmon_event_watch(spec, sizeof(spec), spec, 4, "x"),
		     -EINVAL);
	cr_expect_eq(selfmon_event_watch(spec, sizeof(spec), spec, 4, ""),
		     -EINVAL);
	cr_expect_eq(selfmon_event_watch(spec, 8, spec, 4, "w"), -E2BIG);
}

/* In the tree, the PMU for uprobes has type 7. */
Test(probe_event, takes_the_offset_of_a_uprobe)
{
	const struct selfmon_events events =
		parse("uprobe:/opt/a:b/app:0x1234,uprobe:/bin/x:16:u", 2);
	char path[SELFMON_EVENT_NAME_SIZE];

	cr_expect_eq(events.event[0].type, 7);
	cr_expect_eq(events.event[0].config2, 0x1234);
	cr_assert(selfmon_probe_event_path(&events.event[0], path));
	cr_expect_str_eq(path, "/opt/a:b/app");
	cr_expect_eq(events.event[1].config2, 16);
	cr_expect_eq(events.event[1].flags, SELFMON_EVENT_USER);
	cr_assert(selfmon_probe_event_path(&events.event[1], path));
	cr_expect_str_eq(path, "/bin/x");
}

Test(probe_event, has_no_path_where_there_is_no_probe)
{
	const struct selfmon_events events = parse("cycles,cpu/inv/", 2);
	char path[SELFMON_EVENT_NAME_SIZE];

	cr_expect_not(selfmon_probe_event_path(&events.event[0], path));
	cr_expect_not(selfmon_probe_event_path(&events.event[1], path));
}

Test(probe_event, says_where_the_fault_in_a_uprobe_is)
{
	expect_fault("uprobe:", EINVAL, 7);
	expect_fault("uprobe:main", EINVAL, 11);
	expect_fault("uprobe:app:main", EINVAL, 15);
	expect_fault("uprobe:/bin/sh", EINVAL, 14);
	expect_fault("cs,uprobe:/bin/app:main", EINVAL, 19);
	expect_fault("uprobe:/proc/self/exe:0x10z", EINVAL, 22);
	expect_words("uprobe:/bin/app:main", EINVAL,
		     "'perf probe -x /bin/app -D FUNCTION' prints");
}
