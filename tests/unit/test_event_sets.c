/* SPDX-License-Identifier: MIT */
/*
 * Tests the built-in sets: each is a list of events, and can be combined with
 * other events.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include <selfmon/event.h>

#include "event/off_cpu_name.h"
#include "event/sets.h"

static struct selfmon_events parse(const char *spec, int count)
{
	struct selfmon_failure failure = { 0 };
	struct selfmon_events events;
	const int ret = selfmon_events_parse(spec, &events, &failure);

	cr_assert_eq(ret, count, "'%s' gives %d: %s", spec, ret,
		     failure.message);
	return events;
}

Test(event_sets, are_the_lists_that_they_stand_for)
{
	const char *name, *members;
	size_t i, k;

	for (i = 0; (name = selfmon_sets_at(i, &members)); i++) {
		struct selfmon_events set, list;
		const int count = selfmon_events_parse(members, &list, NULL);

		cr_assert_gt(count, 0, "%s", name);
		set = parse(name, count);
		for (k = 0; k < set.count; k++) {
			cr_expect_str_eq(set.event[k].name, list.event[k].name);
			cr_expect_eq(set.event[k].type, list.event[k].type);
			cr_expect_eq(set.event[k].config,
				     list.event[k].config);
			cr_expect_eq(set.event[k].flags, list.event[k].flags);
			cr_expect_eq(set.event[k].base, list.event[k].base);
		}
	}
	cr_expect_gt(i, 0);
}

Test(event_sets, do_not_repeat_what_is_listed)
{
	const struct selfmon_events events = parse("cycles,@branch", 4);

	cr_expect_str_eq(events.event[0].name, "cycles");
	cr_expect_str_eq(events.event[1].name, "instructions");
	cr_expect_eq(events.event[1].position, 7);
}

Test(event_sets, take_modifiers_where_they_make_sense)
{
	const struct selfmon_events events = parse("@basic:u", 6);

	cr_expect_str_eq(events.event[0].name, "cycles:u");
	cr_expect_eq(events.event[0].flags, SELFMON_EVENT_USER |
						    SELFMON_EVENT_HARDWARE);
	cr_expect_str_eq(events.event[5].name, "context-switches");
}

Test(event_sets, go_into_groups)
{
	const struct selfmon_events events = parse("{@branch}:k,cs", 5);

	cr_expect_str_eq(events.event[0].name, "instructions:k");
	cr_expect_eq(events.event[3].group, 1);
	cr_expect_eq(events.event[4].group, 0);
}

static void expect_fault(const char *spec, int error, size_t position,
			 const char *message)
{
	struct selfmon_failure failure = { 0 };
	struct selfmon_events events;
	const int ret = selfmon_events_parse(spec, &events, &failure);

	cr_expect_eq(ret, -error, "'%s' gives %d", spec, ret);
	cr_expect_eq(failure.position, position);
	cr_expect_str_eq(failure.message, message);
}

Test(event_sets, tell_what_is_wrong_with_them)
{
	expect_fault("cs,@cach", ENOENT, 3,
		     "unknown set '@cach' (did you mean '@cache'?)");
	expect_fault("@os:z", ENOENT, 4,
		     "unknown modifier 'z': u, k, p, pp and ppp are allowed");
	expect_fault("@cache,@tlb", E2BIG, 7,
		     "at most 8 events fit in one snapshot; the ninth is "
		     "'dTLB-load-misses'");
}

Test(event_sets, are_named_if_one_is_unknown)
{
	struct selfmon_events events;
	struct selfmon_failure failure = { 0 };
	const char *name, *members, *rest;
	size_t i;

	cr_assert_eq(selfmon_events_parse("@all", &events, &failure), -ENOENT);
	rest = failure.message + strlen("unknown set '@all': ");
	for (i = 0; (name = selfmon_sets_at(i, &members)); i++) {
		cr_assert_eq(strncmp(rest, name, strlen(name)), 0, "%zu: '%s'",
			     i, failure.message);
		rest += strlen(name);
		rest += !strncmp(rest, ", ", 2) ? 2
			: !strncmp(rest, " and ", 5) ? 5 : 0;
	}
	cr_expect_str_eq(rest, " are allowed");
}

static void expect_taken(const char *list, bool taken, const char *rest)
{
	char text[64];

	memcpy(text, list, strlen(list) + 1);
	cr_expect_eq(selfmon_off_cpu_take(text), taken, "'%s'", list);
	cr_expect_str_eq(text, rest);
}

Test(event_sets, leave_the_name_of_off_cpu_time_out)
{
	expect_taken("@offcpu", true, "");
	expect_taken("cs,@offcpu", true, "cs");
	expect_taken("@offcpu,cs", true, "cs");
	expect_taken("cs, @offcpu ,faults", true, "cs,faults");
	expect_taken("@offcpu,@offcpu,cs,@offcpu", true, "cs");
	expect_taken("cs,@offcpus,@os", false, "cs,@offcpus,@os");
	expect_taken("{cs,@offcpu}", false, "{cs,@offcpu}");
	expect_taken("{cs,@offcpu,faults}", false, "{cs,@offcpu,faults}");
	expect_taken("{cs,faults},@offcpu,{os}", true, "{cs,faults},{os}");
	expect_taken("@offcpu:u", false, "@offcpu:u");
	expect_taken(" ", false, " ");
	expect_taken("", false, "");
	expect_fault("cs,{@offcpu}", ENOENT, 4,
		     "'@offcpu' is recorded by regions, not counted: write it "
		     "in SELFMON_EVENTS, outside of { }");
}
