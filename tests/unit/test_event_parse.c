/* SPDX-License-Identifier: MIT */
/* Lists, groups, modifiers, raw codes, and what is said of faults in them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include <selfmon/event.h>

#include "platform/pfm.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define U SELFMON_EVENT_USER
#define K SELFMON_EVENT_KERNEL
#define HW SELFMON_EVENT_HARDWARE

static struct selfmon_events parse(const char *spec, int count)
{
	struct selfmon_events events;
	struct selfmon_failure failure = {0};
	const int ret = selfmon_events_parse(spec, &events, &failure);

	cr_assert_eq(ret, count, "'%s' gives %d: %s", spec, ret,
		     failure.message);
	cr_assert(events.count == (size_t)count);
	return events;
}

struct fault {
	const char *spec;
	int error;
	size_t position;
	const char *event;
	const char *message;
};

/* What all names were, and why there are no more of them here. */
#define HINT ": names of `perf list`, rHEX and pmu/term=value/ are allowed"

static void expect_message(const char *message, const char *expected)
{
	const char *const why_not = selfmon_pfm_why_not();
	char text[2 * SELFMON_MESSAGE_SIZE];

	snprintf(text, sizeof(text), "%s%s%s", expected,
		 why_not && strstr(expected, HINT) ? "; " : "",
		 why_not && strstr(expected, HINT) ? why_not : "");
	cr_expect_str_eq(message, text);
}

static void expect_fault(const struct fault *fault)
{
	struct selfmon_events events;
	struct selfmon_failure failure;
	int ret;

	memset(&failure, 0xff, sizeof(failure));
	ret = selfmon_events_parse(fault->spec, &events, &failure);
	cr_expect_eq(ret, -fault->error, "'%s' gives %d", fault->spec, ret);
	cr_expect_eq(failure.error, fault->error);
	cr_expect_eq(failure.step, SELFMON_STEP_PARSE);
	cr_expect_eq(failure.position, fault->position, "'%s': at %zu",
		     fault->spec, failure.position);
	cr_expect_str_eq(failure.event, fault->event);
	expect_message(failure.message, fault->message);
}

static void expect_faults(const struct fault *faults, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		expect_fault(&faults[i]);
}

/* ---- what is right ------------------------------------------------------- */

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

/* ---- what is wrong ------------------------------------------------------- */

Test(event_parse, names_the_nearest_word_on_a_misspelling)
{
	static const struct fault faults[] = {
		{"cycels", ENOENT, 0, "cycels",
		 "unknown event 'cycels' (did you mean 'cycles'?)"},
		{"cs,instrutcions:u", ENOENT, 3, "instrutcions:u",
		 "unknown event 'instrutcions' (did you mean "
		 "'instructions'?)"},
		{"L1-dcache-load-mises", ENOENT, 0, "L1-dcache-load-mises",
		 "unknown event 'L1-dcache-load-mises' (did you mean "
		 "'L1-dcache-load-misses'?)"},
		{"CYCLES", ENOENT, 0, "CYCLES",
		 "unknown event 'CYCLES' (did you mean 'cycles'?)"},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_parse, says_what_is_allowed_where_no_name_is_near)
{
	static const struct fault faults[] = {
		{"xyz", ENOENT, 0, "xyz", "unknown event 'xyz'" HINT},
		{"r", ENOENT, 0, "r", "unknown event 'r'" HINT},
		{"r1g", ENOENT, 0, "r1g", "unknown event 'r1g'" HINT},
		{"R1", ENOENT, 0, "R1", "unknown event 'R1'" HINT},
		{"l1i-write", ENOENT, 0, "l1i-write",
		 "unknown event 'l1i-write'" HINT},
	};

	expect_faults(faults, COUNT(faults));
}

#define MODIFIERS "u, k, p, pp and ppp are allowed"

Test(event_parse, refuses_other_modifiers_and_names_those_allowed)
{
	static const struct fault faults[] = {
		{"cycles:h", ENOENT, 7, "cycles:h",
		 "unknown modifier 'h': " MODIFIERS},
		{"cycles:ukD", ENOENT, 9, "cycles:ukD",
		 "unknown modifier 'D': " MODIFIERS},
		{"cycles:U", ENOENT, 7, "cycles:U",
		 "unknown modifier 'U' (did you mean 'u'?)"},
		{"cycles:u:k", ENOENT, 8, "cycles:u:k",
		 "unknown modifier ':': " MODIFIERS},
		{"cycles:", EINVAL, 7, "cycles:",
		 "a modifier is missing after ':': " MODIFIERS},
		{"cycles:uku", EINVAL, 9, "cycles:uku",
		 "modifier 'u' is given twice: " MODIFIERS},
		{"cycles:kk", EINVAL, 8, "cycles:kk",
		 "modifier 'k' is given twice: " MODIFIERS},
		{"cycles:pppp", EINVAL, 10, "cycles:pppp",
		 "more than three modifiers 'p': " MODIFIERS},
		{"cs,{cycles}:x", ENOENT, 12, "{cycles}:x",
		 "unknown modifier 'x': " MODIFIERS},
		{"{cycles}:,cs", EINVAL, 9, "{cycles}:",
		 "a modifier is missing after ':': " MODIFIERS},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_parse, refuses_a_raw_code_of_more_than_64_bits)
{
	static const struct fault fault = {
		"cs,r10000000000000000", EINVAL, 3, "r10000000000000000",
		"raw code 'r10000000000000000' is too large: it has at most "
		"64 bits"};

	expect_fault(&fault);
}

Test(event_parse, refuses_nothing_at_all)
{
#define NOTHING "no event is named: say for instance cycles,instructions"
	static const struct fault faults[] = {
		{NULL, EINVAL, 0, "", NOTHING},
		{"", EINVAL, 0, "", NOTHING},
		{" \t\n ", EINVAL, 0, "", NOTHING},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_parse, says_where_an_event_is_missing)
{
	static const struct fault faults[] = {
		{"cs,", EINVAL, 3, "", "an event is missing at the end"},
		{"cs, ", EINVAL, 4, "", "an event is missing at the end"},
		{",", EINVAL, 0, "", "an event is missing before ','"},
		{"cs,,cs", EINVAL, 3, "", "an event is missing before ','"},
		{"cs,{}", EINVAL, 4, "", "an event is missing before '}'"},
		{"{cs,}", EINVAL, 4, "", "an event is missing before '}'"},
		{"{", EINVAL, 1, "", "an event is missing at the end"},
		{":u", EINVAL, 0, ":u",
		 "the name of an event is missing before ':'"},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_parse, says_which_brace_or_comma_is_amiss)
{
	static const struct fault faults[] = {
		{"{cs", EINVAL, 0, "cs", "a '{' stands without its '}'"},
		{"cs,{cs ", EINVAL, 3, "cs", "a '{' stands without its '}'"},
		{"cs}", EINVAL, 2, "cs", "a '}' stands without its '{'"},
		{"}", EINVAL, 0, "", "a '}' stands without its '{'"},
		{"{cs}}", EINVAL, 4, "{cs}", "a '}' stands without its '{'"},
		{"{{cs}}", EINVAL, 1, "",
		 "a '{' stands inside another: groups cannot be nested"},
		{"{cs,{cs}}", EINVAL, 4, "",
		 "a '{' stands inside another: groups cannot be nested"},
		{"cs{cs}", EINVAL, 2, "cs", "a ',' is missing before '{'"},
		{"{cs}cs", EINVAL, 4, "{cs}cs", "a ',' is missing before 'c'"},
		{"{cs}:u{cs}", EINVAL, 6, "{cs}:u",
		 "a ',' is missing before '{'"},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_parse, says_that_a_group_was_at_fault)
{
	struct selfmon_events events;
	struct selfmon_failure failure;

	selfmon_events_parse("cs,{cs,cycels}", &events, &failure);
	cr_expect(failure.grouped);
	selfmon_events_parse("{cs},cycels", &events, &failure);
	cr_expect_not(failure.grouped);
}

Test(event_parse, refuses_a_ninth_event_and_names_it)
{
	static const struct fault faults[] = {
		{"r1,r2,r3,r4,r5,r6,r7,r8,dummy:u", E2BIG, 24, "dummy:u",
		 "at most 8 events fit in one snapshot; the ninth is "
		 "'dummy:u'"},
		{"{r1,r2,r3,r4,r5,r6,r7,r8,cs,cs}", E2BIG, 25, "cs",
		 "at most 8 events fit in one snapshot; the ninth is 'cs'"},
	};

	expect_faults(faults, COUNT(faults));
}

/* A specification of one letter, after a first event. */
static void fill(char *spec, size_t length)
{
	memset(spec, 'a', length);
	memcpy(spec, "cs,", 3);
	spec[length] = '\0';
}

Test(event_parse, refuses_a_name_too_long_to_keep)
{
	static char spec[256];
	static char event[SELFMON_EVENT_NAME_SIZE];
	char message[SELFMON_MESSAGE_SIZE];
	const struct fault fault = {spec, EINVAL, 3, event, message};

	fill(spec, 3 + SELFMON_EVENT_NAME_SIZE);
	memset(event, 'a', sizeof(event) - 1);
	snprintf(message, sizeof(message),
		 "event '%.64s...' has 128 bytes: at most 127 are allowed",
		 event);
	expect_fault(&fault);
}

Test(event_parse, refuses_a_name_too_long_with_its_groups_modifiers)
{
	char spec[SELFMON_EVENT_NAME_SIZE + 8];
	struct selfmon_events events;
	struct selfmon_failure failure;

	memset(spec, '0', sizeof(spec));
	memcpy(spec, "{r", 2);
	strcpy(spec + SELFMON_EVENT_NAME_SIZE, "}:u");
	cr_expect_eq(selfmon_events_parse(spec, &events, &failure), -EINVAL);
	cr_expect_eq(failure.position, 1);
	cr_expect(strstr(failure.message, "is too long with the modifiers"),
		  "%s", failure.message);
	strcpy(spec + SELFMON_EVENT_NAME_SIZE, "}");
	cr_expect_eq(selfmon_events_parse(spec, &events, &failure), 1);
}

Test(event_parse, refuses_a_specification_whose_positions_do_not_fit)
{
	static char spec[65536 + 1];
	static const struct fault fault = {
		spec, EINVAL, 0, "",
		"the specification has 65536 bytes: at most 65535 are "
		"allowed"};

	memset(spec, ' ', sizeof(spec) - 1);
	memcpy(spec + 65536 - 2, "cs", 2);
	expect_fault(&fault);
	cr_expect_eq(parse(spec + 1, 1).event[0].position, 65533);
}

Test(event_parse, shows_bytes_beyond_ascii_as_question_marks)
{
	static const struct fault fault = {
		"a\x1b[\xc3\xa9z\x7f", ENOENT, 0, "a?[??z?",
		"unknown event 'a?[??z?'" HINT};

	expect_fault(&fault);
}
