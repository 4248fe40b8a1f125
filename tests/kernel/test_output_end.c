/* SPDX-License-Identifier: MIT */
/*
 * Tests that the report at exit harms neither the program's files nor its exit.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/resource.h>

#include "kernel/exits.h"
#include "platform/fault_step.h"

static int data; /* a file of the program, which the test can see too */

static void make_data(void)
{
	data = memfd_create("data", 0);
	cr_assert_geq(data, 0);
	cr_assert_eq(write(data, "page", 4), 4);
}

static off_t data_size(void)
{
	return lseek(data, 0, SEEK_END);
}

/* Acts like closefrom(3): the number is free, and the next file gets it. */
static void use_the_number_again(void)
{
	visit();
	close(STDERR_FILENO);
	if (dup2(data, STDERR_FILENO) != STDERR_FILENO)
		_exit(1);
}

Test(output_end, a_file_that_took_standard_errors_number_is_left_alone,
     .init = make_data)
{
	RUN(use_the_number_again, NULL);
	cr_assert_eq(data_size(), 4);
}

Test(output_end, nor_does_it_get_what_cannot_be_written_elsewhere,
     .init = make_data)
{
	RUN(use_the_number_again, "SELFMON_OUTPUT", "json:/nonexistent/a",
	    NULL);
	cr_assert_eq(data_size(), 4);
}

static void redirect_to_a_log(void)
{
	visit();
	fcntl(data, F_SETFL, O_APPEND);
	dup2(data, STDERR_FILENO);
}

Test(output_end, a_log_that_is_appended_to_gets_it, .init = make_data)
{
	RUN(redirect_to_a_log, NULL);
	cr_assert_gt(data_size(), 4);
}

static void redirect_both(void)
{
	visit();
	dup2(data, STDOUT_FILENO);
	dup2(data, STDERR_FILENO);
}

Test(output_end, so_does_a_file_that_is_standard_output_too, .init = make_data)
{
	RUN(redirect_both, NULL);
	cr_assert_gt(data_size(), 4);
}

static void have_no_reader(int number)
{
	int ends[2];

	signal(SIGPIPE, SIG_DFL);
	if (pipe(ends) || dup2(ends[1], number) != number)
		_exit(1);
	close(ends[0]);
	close(ends[1]);
	visit();
}

static void have_no_reader_of_errors(void)
{
	have_no_reader(STDERR_FILENO);
}

Test(output_end, is_the_programs_own_though_nobody_reads_standard_error)
{
	cr_assert_eq(RUN(have_no_reader_of_errors, NULL), 0);
}

static void have_no_reader_of_7(void)
{
	have_no_reader(7);
}

Test(output_end, is_the_programs_own_though_nobody_reads_the_report)
{
	cr_assert_eq(RUN(have_no_reader_of_7, "SELFMON_OUTPUT",
			 "text:/dev/fd/7", NULL),
		     0);
	ASSERT_SAYS("'/dev/fd/7': Broken pipe; it is printed here instead");
	ASSERT_SAYS("visited");
}

/*
 * Limits the size of files, including standard error: there is room for the
 * message only.
 */
static void have_a_limit(void)
{
	const struct rlimit limit = { 300, 300 };

	signal(SIGXFSZ, SIG_DFL);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		_exit(1);
	visit();
}

Test(output_end, is_the_programs_own_though_files_may_not_grow)
{
	char path[] = "/tmp/selfmon-XXXXXX", output[64];

	cr_assert_geq(mkstemp(path), 0);
	snprintf(output, sizeof(output), "json:%s", path);
	cr_assert_eq(RUN(have_a_limit, "SELFMON_OUTPUT", output, NULL), 0);
	unlink(path);
	ASSERT_SAYS("File too large; it is printed here instead");
}

static void take_the_guard_away(void)
{
	visit();
	signal(SELFMON_FAULT_SIGNAL, SIG_DFL);
}

/*
 * The guard stays installed until the last code of the program, since
 * destructors read counters too.
 */
Test(output_end, knows_that_the_guard_is_gone)
{
	if (!SELFMON_FAULT_SIGNAL)
		cr_skip_test("nothing is read in user space here");
	RUN(visit, "SELFMON_EVENTS", "task-clock", "SELFMON_GUARD", "1", NULL);
	cr_assert_eq(count_of("counter reads are no longer guarded"), 0);
	RUN(take_the_guard_away, "SELFMON_EVENTS", "task-clock",
	    "SELFMON_GUARD", "1", NULL);
	ASSERT_SAYS("counter reads are no longer guarded");
}
