/* SPDX-License-Identifier: MIT */
/* Tests that a text is written completely, and that no signal is raised. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/output.h"

#define LONG_TEXT ((size_t)1 << 20) /* more than a pipe holds */

static int ends[2];

static void pipe_of(int flags)
{
	cr_assert_eq(pipe2(ends, flags), 0);
	signal(SIGPIPE, SIG_DFL);
}

Test(platform_output, a_pipe_that_nobody_reads_gives_an_error_and_no_signal)
{
	pipe_of(0);
	close(ends[0]);
	cr_assert_eq(selfmon_output(ends[1], "text", 4), -EPIPE);
	cr_assert_eq(selfmon_output(ends[1], "text", 4), -EPIPE);
}

Test(platform_output, a_signal_that_waited_for_the_program_goes_on_waiting)
{
	sigset_t pipe, pending;

	pipe_of(0);
	close(ends[0]);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, NULL);
	raise(SIGPIPE);
	cr_assert_eq(selfmon_output(ends[1], "text", 4), -EPIPE);
	sigpending(&pending);
	cr_assert_eq(sigismember(&pending, SIGPIPE), 1);
}

static void *read_slowly(void *unused)
{
	static char part[3000];
	size_t all = 0;
	ssize_t n;

	while ((n = read(ends[0], part, sizeof(part))) > 0) {
		all += (size_t)n;
		usleep(100);
	}
	(void)unused;
	return (void *)all;
}

Test(platform_output, a_descriptor_that_does_not_block_gets_all)
{
	char *const text = calloc(1, LONG_TEXT);
	pthread_t reader;
	void *all;

	pipe_of(0);
	cr_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	cr_assert_eq(pthread_create(&reader, NULL, read_slowly, NULL), 0);
	cr_assert_eq(selfmon_output(ends[1], text, LONG_TEXT), 0);
	cr_assert_eq(selfmon_output_close(ends[1]), 0);
	pthread_join(reader, &all);
	cr_assert_eq((size_t)all, LONG_TEXT);
	free(text);
}

Test(platform_output, one_that_takes_nothing_for_long_is_given_up)
{
	char *const text = calloc(1, LONG_TEXT);

	pipe_of(O_NONBLOCK);
	cr_assert_eq(selfmon_output(ends[1], text, LONG_TEXT), -EAGAIN);
	free(text);
}
