/* SPDX-License-Identifier: MIT */
/*
 * Tests options of the report from the environment and the program, and the
 * messages about wrong options.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "kernel/exits.h"

static void silenced_in_code(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.output = NULL;
	selfmon_configure(&options);
	visit();
}

Test(output_variables, a_null_output_in_code_is_silent)
{
	RUN(silenced_in_code, NULL);
	ASSERT_SILENT();
}

Test(output_variables, the_environment_wins_over_the_program)
{
	RUN(silenced_in_code, "SELFMON_OUTPUT", "text:-", NULL);
	ASSERT_SAYS("visited");
}

static void disabled_in_code(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.enable = false;
	selfmon_configure(&options);
	visit();
}

Test(output_variables, the_environment_may_enable_what_the_program_disabled)
{
	RUN(disabled_in_code, NULL);
	ASSERT_SILENT();
	RUN(disabled_in_code, "SELFMON_ENABLE", "1", NULL);
	ASSERT_SAYS("visited");
}

Test(output_variables, disabled_by_the_environment_nothing_is_measured)
{
	RUN(visit, "SELFMON_ENABLE", "0", NULL);
	ASSERT_SILENT();
}

Test(output_variables, an_unknown_format_is_named_and_loses_nothing)
{
	RUN(visit, "SELFMON_OUTPUT", "jsno:/tmp/x", NULL);
	ASSERT_SAYS("unknown format 'jsno' (did you mean 'json'?)");
	ASSERT_SAYS("visited");
}

Test(output_variables, a_page_is_made_by_the_tool)
{
	RUN(visit, "SELFMON_OUTPUT", "html:/tmp/x", NULL);
	ASSERT_SAYS("selfmon run -o html:FILE COMMAND");
	ASSERT_SAYS("visited");
}

Test(output_variables, unknown_variables_and_values_are_named)
{
	RUN(visit, "SELFMON_EVNTS", "cycles", "SELFMON_EVERY", "0",
	    "SELFMON_FENCE", "mfence", "SELFMON_STRICT", "yes",
	    "SELFMON_GUARD", "on", NULL);
	ASSERT_SAYS("unknown variable SELFMON_EVNTS (did you mean "
		    "SELFMON_EVENTS?)");
	ASSERT_SAYS("SELFMON_EVERY=0: 1 to 1000000 are allowed; ignored");
	ASSERT_SAYS("SELFMON_FENCE=mfence: none and lfence are allowed");
	ASSERT_SAYS("SELFMON_STRICT=yes: 0 and 1 are allowed");
	ASSERT_SAYS("SELFMON_GUARD=on: 0 and 1 are allowed");
	ASSERT_SAYS("visited");
}

Test(output_variables, messages_are_told_where_no_text_carries_them)
{
	RUN(visit, "SELFMON_EVERY", "ten", "SELFMON_OUTPUT",
	    "csv:/dev/null", NULL);
	ASSERT_SAYS("selfmon: SELFMON_EVERY=ten: 1 to 1000000 are allowed");
}

static void print_message(const char *message, void *context)
{
	fprintf(stderr, "%s<%s>", (const char *)context, message);
}

static void with_message_function(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	char context[] = "host";

	options.output = NULL;
	options.message = print_message;
	options.context = context;
	selfmon_configure(&options);
	visit();
}

Test(output_variables, messages_go_to_the_hosts_function_if_there_is_one)
{
	RUN(with_message_function, "SELFMON_EVERY", "-1", NULL);
	ASSERT_SAYS("host<SELFMON_EVERY=-1: 1 to 1000000 are allowed; "
		    "ignored>");
}

static void configure_with_function(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	char context[] = "host";

	options.message = print_message;
	options.context = context;
	selfmon_configure(&options);
	context[0] = 'g';
}

static void find_out_later(void)
{
	configure_with_function();
	visit();
}

/*
 * The program's message function is called only during configuration. Later,
 * its context may no longer exist, and the program may hold a lock that the
 * function needs.
 */
Test(output_variables, but_only_while_it_configures)
{
	RUN(find_out_later, "SELFMON_LIVE", "/nonexistent/live", NULL);
	cr_assert_eq(count_of("<SELFMON"), 0, "%s", text);
	ASSERT_SAYS("SELFMON_LIVE=/nonexistent/live: cannot be written");
}

Test(output_variables, an_unknown_event_is_named)
{
	RUN(visit, "SELFMON_EVENTS", "cycels", NULL);
	ASSERT_SAYS("unknown event 'cycels' (did you mean 'cycles'?)");
	ASSERT_SAYS("visited");
}

Test(output_variables, an_unknown_event_is_named_where_no_text_does_it)
{
	RUN(visit, "SELFMON_EVENTS", "cycels", "SELFMON_OUTPUT",
	    "csv:/dev/null", NULL);
	ASSERT_SAYS("selfmon: only time is measured, not 'cycels': unknown "
		    "event 'cycels' (did you mean 'cycles'?)");
}

static void *visit_in_a_thread(void *unused)
{
	visit();
	return unused;
}

static void visit_in_threads(void)
{
	pthread_t thread;
	int i;

	visit();
	for (i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, visit_in_a_thread, NULL);
		pthread_join(thread, NULL);
	}
}

Test(output_variables, threads_are_rows_if_an_output_says_so)
{
	RUN(visit_in_threads, "SELFMON_OUTPUT", "text:-;threads", NULL);
	ASSERT_SAYS("\nmain ");
	cr_assert_eq(count_of("\nthread "), 2, "%s", text);
	cr_assert_eq(count_of("\n  visited "), 3, "%s", text);
	RUN(visit_in_threads, "SELFMON_OUTPUT", "text:-", NULL);
	cr_assert_eq(count_of("\nvisited "), 1, "%s", text);
	cr_assert_eq(count_of("thread "), 0, "%s", text);
}

Test(output_variables, none_may_have_options)
{
	RUN(visit, "SELFMON_OUTPUT", "none;threads", NULL);
	ASSERT_SILENT();
	RUN(visit, "SELFMON_OUTPUT", "none;thraeds", NULL);
	ASSERT_SAYS("unknown option 'thraeds' (did you mean 'threads'?)");
}
