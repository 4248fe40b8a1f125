/* SPDX-License-Identifier: MIT */
/* Tests the report at exit: where it is written, and that it is complete. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/exits.h"
#include "schema.h"

Test(output, a_text_report_goes_to_standard_error_at_exit)
{
	RUN(visit, NULL);
	ASSERT_SAYS("visited");
	cr_assert_eq(count_of("selfmon:"), 0);
}

static void nothing(void)
{
}

Test(output, nothing_is_printed_if_no_region_was_visited)
{
	RUN(nothing, NULL);
	ASSERT_SILENT();
	RUN(nothing, "SELFMON_EVERY", "nonsense", NULL);
	ASSERT_SILENT();
}

Test(output, none_is_silent)
{
	RUN(visit, "SELFMON_OUTPUT", "none", NULL);
	ASSERT_SILENT();
}

Test(output, files_of_each_format_are_written_and_standard_error_is_not)
{
	char dir[] = "/tmp/selfmon-XXXXXX", outputs[128], path[64];

	cr_assert_not_null(mkdtemp(dir));
	snprintf(outputs, sizeof(outputs), "json:%s/a,csv:%s/b,text:%s/c", dir,
		 dir, dir);
	RUN(visit, "SELFMON_OUTPUT", outputs, NULL);
	ASSERT_SILENT();
	snprintf(path, sizeof(path), "%s/a", dir);
	cr_assert_eq(file_text(path)[0], '{');
	cr_assert_neq(schema_check("", path), SCHEMA_REFUSES);
	unlink(path);
	snprintf(path, sizeof(path), "%s/b", dir);
	cr_assert_not_null(strstr(file_text(path), "visited"));
	unlink(path);
	snprintf(path, sizeof(path), "%s/c", dir);
	cr_assert_not_null(strstr(file_text(path), "visited"));
	unlink(path);
	rmdir(dir);
}

static void assert_schema_allows_text(void)
{
	char path[] = "/tmp/selfmon-XXXXXX";
	FILE *const stream = fdopen(mkstemp(path), "w");

	cr_assert_not_null(stream);
	fputs(text, stream);
	fclose(stream);
	cr_assert_neq(schema_check("", path), SCHEMA_REFUSES);
	unlink(path);
}

Test(output, json_on_standard_error_has_the_messages_in_it)
{
	RUN(visit, "SELFMON_OUTPUT", "json:-", "SELFMON_EVENTS", "cycels",
	    NULL);
	ASSERT_SAYS("\"events_reason\": \"unknown event 'cycels'");
	assert_schema_allows_text();
	cr_expect_eq(count_of("selfmon: "), 0);
	RUN(visit, "SELFMON_OUTPUT", "csv:-", "SELFMON_EVENTS", "cycels", NULL);
	ASSERT_SAYS("selfmon: only time is measured, not 'cycels': ");
}

Test(output, a_path_that_cannot_be_written_loses_nothing)
{
	RUN(visit, "SELFMON_OUTPUT", "json:/nonexistent/report", NULL);
	ASSERT_SAYS("selfmon: cannot write the report to "
		    "'/nonexistent/report': No such file or directory; it is "
		    "printed here instead\n");
	ASSERT_SAYS("visited");
}

Test(output, a_device_that_is_full_loses_nothing)
{
	RUN(visit, "SELFMON_OUTPUT", "csv:/dev/full,json:/dev/full", NULL);
	ASSERT_SAYS("'/dev/full': No space left on device");
	cr_assert_eq(count_of("cannot write"), 2);
	cr_assert_eq(count_of("visited"), 1);
}

static void to_itself(void)
{
	fputs("before", stderr);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	dup2(STDERR_FILENO, 9);
	visit();
}

Test(output, the_programs_own_descriptors_can_be_named)
{
	static const char *const name[] = {
		"text:/dev/stderr", "text:/dev/stdout", "text:/dev/fd/9",
		"text:/proc/self/fd/9",
	};
	size_t i;

	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		RUN(to_itself, "SELFMON_OUTPUT", name[i], NULL);
		cr_assert_eq(strncmp(text, "before", 6), 0, "%s: %s", name[i],
			     text);
		cr_assert_eq(count_of("visited"), 1, "%s: %s", name[i], text);
	}
	RUN(visit, "SELFMON_OUTPUT", "text:/dev/fd/1000", NULL);
	ASSERT_SAYS("'/dev/fd/1000': Bad file descriptor; it is printed here "
		    "instead");
}

static void exit_inside(void)
{
	visit();
	SELFMON_REGION("never ended")
	{
		exit(0);
	}
}

Test(output, a_region_left_by_exit_is_listed_as_open)
{
	RUN(exit_inside, NULL);
	ASSERT_SAYS("never ended");
	ASSERT_SAYS("visited");
}

static void fork_one(void)
{
	pid_t pid;

	visit();
	pid = fork();
	visit();
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

Test(output, a_forked_child_keeps_silent)
{
	RUN(fork_one, NULL);
	cr_assert_eq(count_of("visited"), 1);
}

Test(output, a_forked_child_reports_if_it_is_asked_to)
{
	RUN(fork_one, "SELFMON_OUTPUT", "text:-,children=yes", NULL);
	cr_assert_eq(count_of("visited"), 2);
}

Test(output, a_forked_child_reports_to_a_file_of_its_own)
{
	char dir[] = "/tmp/selfmon-XXXXXX", outputs[64], command[128];
	FILE *list;
	int files = 0;

	cr_assert_not_null(mkdtemp(dir));
	snprintf(outputs, sizeof(outputs), "csv:%s/%%p.csv", dir);
	RUN(fork_one, "SELFMON_OUTPUT", outputs, NULL);
	snprintf(command, sizeof(command), "ls %s; rm -r %s", dir, dir);
	list = popen(command, "r");
	while (fgets(text, sizeof(text), list))
		files += strstr(text, ".csv\n") && atoi(text) > 0;
	pclose(list);
	cr_assert_eq(files, 2);
}

static void visit_at_exit(void)
{
	atexit(visit);
	visit();
}

Test(output, regions_in_handlers_of_atexit_are_in_the_report)
{
	char path[] = "/tmp/selfmon-XXXXXX", outputs[64];
	const int file = mkstemp(path);

	cr_assert_geq(file, 0);
	close(file);
	snprintf(outputs, sizeof(outputs), "csv:%s", path);
	RUN(visit_at_exit, "SELFMON_OUTPUT", outputs, NULL);
	cr_assert_not_null(strstr(file_text(path), ",2,"), "%s",
			   file_text(path));
	unlink(path);
}

static void (*end)(void);

static void end_inside(void)
{
	visit();
	SELFMON_REGION("outer")
	{
		SELFMON_REGION("inner")
		{
			end();
		}
	}
}

static void end_by_exit(void)
{
	exit(0);
}

static void end_at_once(void)
{
	_exit(0);
}

static void end_quickly(void)
{
	quick_exit(0);
}

Test(output, exit_inside_of_regions_says_that_they_are_open)
{
	end = end_by_exit;
	RUN(end_inside, "SELFMON_OUTPUT", "csv:-", NULL);
	ASSERT_SAYS("\n\"visited\",");
	/* The fields are threads, visits, measured, open, cut_off. */
	ASSERT_SAYS(",1,0,0,1,0,");
	cr_assert_eq(count_of(",1,0,0,1,0,"), 2);
}

Test(output, no_report_is_written_by_ends_that_run_no_destructor)
{
	end = end_at_once;
	RUN(end_inside, NULL);
	ASSERT_SILENT();
	end = end_quickly;
	RUN(end_inside, NULL);
	ASSERT_SILENT();
	end = abort;
	RUN(end_inside, NULL);
	ASSERT_SILENT();
}
