/* SPDX-License-Identifier: MIT */
/* Tests the messages about errors in lists, groups, modifiers and raw codes. */
#include <stdio.h>

#include "platform/pfm.h"
#include "unit/test_event_parse.h"

struct fault {
	const char *spec;
	int error;
	size_t position;
	const char *event;
	const char *message;
};

#define HINT                                                                   \
	": names of `perf list`, rHEX, pmu/term=value/ and those of "          \
	"selfmon-events(7) are allowed"

static void expect_message(const char *message, const char *expected)
{
	const char *const why_not = selfmon_pfm_why_not();
	char text[2 * SELFMON_MESSAGE_SIZE];

	snprintf(text, sizeof(text), "%s", expected);
	if (strstr(expected, HINT))
		snprintf(text, sizeof(text), "%s; %s", expected,
			 why_not ? why_not : "libpfm knows no such event of "
					     "this CPU");
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

Test(event_parse_faults, names_the_nearest_word_on_a_misspelling)
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

Test(event_parse_faults, says_what_is_allowed_where_no_name_is_near)
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

Test(event_parse_faults, refuses_other_modifiers_and_names_those_allowed)
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

Test(event_parse_faults, refuses_a_raw_code_of_more_than_64_bits)
{
	static const struct fault fault = {
		"cs,r10000000000000000", EINVAL, 3, "r10000000000000000",
		"raw code 'r10000000000000000' is too large: it has at most "
		"64 bits"};

	expect_fault(&fault);
}

Test(event_parse_faults, refuses_nothing_at_all)
{
#define NOTHING "no event is named: for example cycles,instructions"
	static const struct fault faults[] = {
		{NULL, EINVAL, 0, "", NOTHING},
		{"", EINVAL, 0, "", NOTHING},
		{" \t\n ", EINVAL, 0, "", NOTHING},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_parse_faults, says_where_an_event_is_missing)
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

Test(event_parse_faults, says_which_brace_or_comma_is_amiss)
{
	static const struct fault faults[] = {
		{"{cs", EINVAL, 0, "cs", "a '{' has no '}'"},
		{"cs,{cs ", EINVAL, 3, "cs", "a '{' has no '}'"},
		{"cs}", EINVAL, 2, "cs", "a '}' has no '{'"},
		{"}", EINVAL, 0, "", "a '}' has no '{'"},
		{"{cs}}", EINVAL, 4, "{cs}", "a '}' has no '{'"},
		{"{{cs}}", EINVAL, 1, "",
		 "a '{' inside another '{': groups cannot be nested"},
		{"{cs,{cs}}", EINVAL, 4, "",
		 "a '{' inside another '{': groups cannot be nested"},
		{"cs{cs}", EINVAL, 2, "cs", "a ',' is missing before '{'"},
		{"{cs}cs", EINVAL, 4, "{cs}cs", "a ',' is missing before 'c'"},
		{"{cs}:u{cs}", EINVAL, 6, "{cs}:u",
		 "a ',' is missing before '{'"},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_parse_faults, says_that_a_group_was_at_fault)
{
	struct selfmon_events events;
	struct selfmon_failure failure;

	selfmon_events_parse("cs,{cs,cycels}", &events, &failure);
	cr_expect(failure.grouped);
	selfmon_events_parse("{cs},cycels", &events, &failure);
	cr_expect_not(failure.grouped);
}

Test(event_parse_faults, refuses_a_ninth_event_and_names_it)
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

/* Makes a specification whose second event is a name of one repeated letter. */
static void fill(char *spec, size_t length)
{
	memset(spec, 'a', length);
	memcpy(spec, "cs,", 3);
	spec[length] = '\0';
}

Test(event_parse_faults, refuses_a_name_too_long_to_keep)
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

Test(event_parse_faults, refuses_a_name_too_long_with_its_groups_modifiers)
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

Test(event_parse_faults, refuses_a_specification_whose_positions_do_not_fit)
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

Test(event_parse_faults, shows_control_characters_in_hexadecimal)
{
	static const struct fault fault = {
		"a\x1b[\xc3\xa9z\x7f", ENOENT, 0, "a\\x1B[\xc3\xa9z\\x7F",
		"unknown event 'a\\x1B[\xc3\xa9z\\x7F'" HINT};

	expect_fault(&fault);
}
