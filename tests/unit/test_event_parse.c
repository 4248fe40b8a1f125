/* SPDX-License-Identifier: MIT */
/* Tests lists, groups, modifiers and raw codes that are correct. */
#include <linux/perf_event.h>

#include "unit/test_event_parse.h"

#define U SELFMON_EVENT_USER
#define K SELFMON_EVENT_KERNEL
#define HW SELFMON_EVENT_HARDWARE

Test(event_parse, keeps_the_order_the_names_and_the_positions)
{
	const struct selfmon_events events =
		parse("cycles:u,cs,LLC-loads:pp", 3);

	cr_expect_str_eq(events.event[0].name, "cycles:u");
	cr_expect_str_eq(events.event[1].name, "cs");
	cr_expect_str_eq(events.event[2].name, "LLC-loads:pp");
	cr_expect_eq(events.event[0].position, 0);
	cr_expect_eq(events.event[1].position, 9);
	cr_expect_eq(events.event[2].position, 12);
}

Test(event_parse, skips_spaces_around_names_commas_and_braces)
{
	const struct selfmon_events events =
		parse(" \tcycles , { cs ,\nfaults } :k , dummy ", 4);

	cr_expect_str_eq(events.event[0].name, "cycles");
	cr_expect_str_eq(events.event[1].name, "cs:k");
	cr_expect_str_eq(events.event[2].name, "faults:k");
	cr_expect_str_eq(events.event[3].name, "dummy");
	cr_expect_eq(events.event[0].position, 2);
	cr_expect_eq(events.event[1].position, 13);
	cr_expect_eq(events.event[3].position, 32);
}

Test(event_parse, leaves_the_failure_alone_on_success)
{
	struct selfmon_failure failure, before;
	struct selfmon_events events;

	memset(&failure, 0x5a, sizeof(failure));
	before = failure;
	cr_assert_eq(selfmon_events_parse("cs", &events, &failure), 1);
	cr_expect_eq(memcmp(&failure, &before, sizeof(failure)), 0);
}

Test(event_parse, does_without_a_failure_to_fill_in)
{
	struct selfmon_events events;

	cr_expect_eq(selfmon_events_parse("cycels", &events, NULL), -ENOENT);
}

Test(event_parse, reads_every_modifier)
{
	static const struct {
		const char *spec;
		uint32_t flags;
		uint8_t precise;
	} cases[] = {
		{"cycles", HW, 0},         {"cycles:u", HW | U, 0},
		{"cycles:k", HW | K, 0},   {"cycles:uk", HW | U | K, 0},
		{"cycles:ku", HW | U | K, 0}, {"cycles:p", HW, 1},
		{"cycles:pp", HW, 2},      {"cycles:ppp", HW, 3},
		{"cycles:upp", HW | U, 2}, {"cycles:pkp", HW | K, 2},
		{"r1:u", HW | U, 0},       {"faults:u", U, 0},
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		const struct selfmon_events events = parse(cases[i].spec, 1);

		cr_expect_eq(events.event[0].flags, cases[i].flags, "%s",
			     cases[i].spec);
		cr_expect_eq(events.event[0].precise, cases[i].precise, "%s",
			     cases[i].spec);
	}
}

Test(event_parse, reads_raw_codes_as_hexadecimal)
{
	static const struct {
		const char *spec;
		uint64_t config;
	} cases[] = {
		{"r0", 0},
		{"r1a8", 0x1a8},
		{"r1A8", 0x1a8},
		{"rffffffffffffffff", UINT64_MAX},
		{"r00000000000000000001", 1},
		{"rbad", 0xbad},
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		const struct selfmon_events events = parse(cases[i].spec, 1);

		cr_expect_eq(events.event[0].type, PERF_TYPE_RAW);
		cr_expect_eq(events.event[0].config, cases[i].config, "%s",
			     cases[i].spec);
		cr_expect_eq(events.event[0].flags, HW);
	}
}

Test(event_parse, numbers_the_groups_and_leaves_free_events_at_zero)
{
	const struct selfmon_events events =
		parse("{cycles,cs},faults,{dummy},{r1,r2}", 6);
	static const uint8_t groups[] = {1, 1, 0, 2, 3, 3};
	size_t i;

	for (i = 0; i < COUNT(groups); i++)
		cr_expect_eq(events.event[i].group, groups[i], "event %zu", i);
}

Test(event_parse, gives_a_groups_modifiers_to_its_members_alone)
{
	const struct selfmon_events events =
		parse("r1,{r2,r3}:kp,r4", 4);

	cr_expect_eq(events.event[0].flags, HW);
	cr_expect_eq(events.event[1].flags, HW | K);
	cr_expect_eq(events.event[2].flags, HW | K);
	cr_expect_eq(events.event[2].precise, 1);
	cr_expect_eq(events.event[3].flags, HW);
	cr_expect_eq(events.event[3].precise, 0);
}

Test(event_parse, adds_a_groups_modifiers_to_those_of_a_member)
{
	const struct selfmon_events events =
		parse("{r1:kppp,r2:p,r3:u}:upp", 3);

	cr_expect_eq(events.event[0].flags, HW | U | K);
	cr_expect_eq(events.event[0].precise, 3);
	cr_expect_eq(events.event[1].precise, 2);
	cr_expect_str_eq(events.event[0].name, "r1:ukppp");
	cr_expect_str_eq(events.event[1].name, "r2:upp");
	cr_expect_str_eq(events.event[2].name, "r3:upp");
}

Test(event_parse, takes_as_many_events_as_a_snapshot_holds)
{
	const struct selfmon_events events =
		parse("r1,r2,{r3,r4,r5},r6,{r7,r8}", SELFMON_MAX_COUNTERS);

	cr_expect_eq(events.event[7].config, 8);
	cr_expect_eq(events.event[7].group, 2);
}

Test(event_parse, takes_the_longest_name_that_fits)
{
	char spec[SELFMON_EVENT_NAME_SIZE];
	struct selfmon_events events;

	memset(spec, '0', sizeof(spec) - 1);
	spec[0] = 'r';
	spec[sizeof(spec) - 2] = '7';
	spec[sizeof(spec) - 1] = '\0';
	events = parse(spec, 1);
	cr_expect_str_eq(events.event[0].name, spec);
	cr_expect_eq(events.event[0].config, 7);
}
