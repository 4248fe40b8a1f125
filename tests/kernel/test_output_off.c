/* SPDX-License-Identifier: MIT */
/*
 * Tests that the report's header names the one setting that prevents counters.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>

#include "kernel/exits.h"
#include "refuse.h"
#include "session/events_why.h"
#include "store/process.h"

static void visit_refused(void)
{
	if (refuse_call(SYS_perf_event_open, EPERM))
		_exit(7);
	visit();
}

/* Undoes the wrapping of lines: replaces each run of blanks by one blank. */
static void unwrap(void)
{
	char *to = text;
	const char *from;

	for (from = text; *from; from++) {
		const char c = *from == '\n' && from[1] == ' ' ? ' ' : *from;

		if (c != ' ' || to == text || to[-1] != ' ')
			*to++ = c;
	}
	*to = '\0';
}

Test(output_off, a_filter_is_named_once_with_what_opens_it)
{
	if (RUN(visit_refused, "SELFMON_EVENTS", "auto", NULL) == 7)
		cr_skip_test("the kernel has no filters");
	unwrap();
	ASSERT_SAYS("\ncounters off ");
	ASSERT_SAYS(" seccomp filter ");
	cr_expect_eq(count_of("perf_event_open"), 1 + count_of("="
		     "perf_event_open"), "%s", text);
	cr_expect_eq(count_of("not counted"), 0, "%s", text);
	cr_expect(count_of("; start the container with ") +
		  count_of("; podman run --cap-add ") +
		  count_of("; add PERFMON to ") +
		  count_of("; allow the call "), "%s", text);
	cr_expect_eq(count_of(", or "), 0, "one way, not two: %s", text);
}

Test(output_off, events_that_a_filter_refuses_have_no_reason_each)
{
	if (RUN(visit_refused, "SELFMON_EVENTS", "cycles,instructions",
		NULL) == 7)
		cr_skip_test("the kernel has no filters");
	unwrap();
	ASSERT_SAYS("\ncounters off ");
	ASSERT_SAYS("\nnot counted cycles, instructions\n");
}

Test(output_off, json_has_it_and_the_whole_reason)
{
	if (RUN(visit_refused, "SELFMON_EVENTS", "auto", "SELFMON_OUTPUT",
		"json:-", NULL) == 7)
		cr_skip_test("the kernel has no filters");
	ASSERT_SAYS("\"counters_off\": \"");
	cr_expect_eq(count_of("\"counters_off\": \"\""), 0, "%s", text);
	ASSERT_SAYS("\"events_reason\": \"cycles: ");
}

Test(output_off, counters_are_not_off_if_the_list_is_wrong_or_empty)
{
	static const char *const list[] = { "none", "cycels", "page-faults" };
	size_t i;

	for (i = 0; i < 3; i++) {
		RUN(visit, "SELFMON_EVENTS", list[i], NULL);
		cr_expect_eq(count_of("counters off"), 0, "%s", text);
		RUN(visit, "SELFMON_EVENTS", list[i], "SELFMON_OUTPUT",
		    "json:-", NULL);
		ASSERT_SAYS("\"counters_off\": \"\"");
	}
}

Test(output_off, slow_reads_come_with_the_variable_that_counts_all_the_same)
{
	const struct selfmon_process process = {
		.choice = SELFMON_CHOICE_SLOW_READ, .read_ns = 4727
	};
	char reason[512];

	selfmon_events_reason(&process, reason, sizeof(reason));
	cr_expect_str_eq(reason, "counter reads trap to the hypervisor (4727 "
			 "ns each); to count anyway: "
			 "SELFMON_EVENTS=cycles,instructions");
}
