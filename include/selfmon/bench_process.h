/* SPDX-License-Identifier: MIT */
/*
 * Further runs of a benchmark, each in a new process: the program starts itself
 * again. In a new process memory addresses and the state of the branch
 * predictor are different. These differences alone change the times of a
 * binary, and rounds within one process cannot show the change.
 */
#ifndef SELFMON_BENCH_PROCESS_H
#define SELFMON_BENCH_PROCESS_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_run.h"

SELFMON_C_BEGIN

/*
 * Environment variable that only further runs have: the number of the
 * descriptor to which the run writes its results.
 */
#define SELFMON_IMPL_BENCH_PIPE "LIBSELFMON_BENCH_PIPE"

/* Declared here, because <unistd.h> declares it only with _GNU_SOURCE. */
extern char **selfmon_impl_bench_environ __asm__("environ");

/* Writes all bytes. Returns false on an error. */
SELFMON_INLINE bool selfmon_impl_bench_send(int fd, const void *from,
					    size_t size)
{
	const char *at = (const char *)from;

	while (size > 0) {
		const ssize_t done = write(fd, at, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		size -= (size_t)done;
	}
	return true;
}

/* Reads all bytes. Returns false on an error or an early end of file. */
SELFMON_INLINE bool selfmon_impl_bench_receive(int fd, void *to, size_t size)
{
	char *at = (char *)to;

	while (size > 0) {
		const ssize_t done = read(fd, at, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		size -= (size_t)done;
	}
	return true;
}

/*
 * Returns the descriptor for the results if this process is a further run, else
 * -1.
 */
SELFMON_INLINE int selfmon_impl_bench_pipe(void)
{
	const char *const value = getenv(SELFMON_IMPL_BENCH_PIPE);

	return value ? atoi(value) : -1;
}

/*
 * Returns the strings of /proc/self/cmdline as an argv, or NULL. The caller frees
 * the result and *text.
 */
SELFMON_INLINE char **selfmon_impl_bench_command(char **text)
{
	const int fd = open("/proc/self/cmdline", O_RDONLY);
	size_t size = 0, room = 4096, i, count = 0;
	char **argv = NULL;

	*text = (char *)malloc(room);
	while (fd >= 0 && *text) {
		const ssize_t got = read(fd, *text + size, room - size);

		if (got <= 0)
			break;
		size += (size_t)got;
		if (size == room)
			*text = (char *)realloc(*text, room *= 2);
	}
	if (fd >= 0)
		close(fd);
	if (size > 0 && *text)
		argv = (char **)calloc(size + 1, sizeof(*argv));
	for (i = 0; argv && i < size; i += strlen(*text + i) + 1)
		argv[count++] = *text + i;
	return argv;
}

/*
 * Returns a shallow copy of the environment with one more variable. The caller
 * frees the result.
 */
SELFMON_INLINE char **selfmon_impl_bench_environment(char *variable)
{
	char **const from = selfmon_impl_bench_environ;
	size_t count = 0;
	char **to;

	while (from && from[count])
		count++;
	to = (char **)calloc(count + 2, sizeof(*to));
	if (!to)
		return NULL;
	if (count > 0)
		memcpy(to + 1, from, count * sizeof(*to));
	to[0] = variable;
	return to;
}

/*
 * Called in the child process: executes the program again, with standard output
 * redirected to /dev/null.
 */
SELFMON_INLINE void selfmon_impl_bench_exec(char **argv, char **environment)
{
	const int silent = open("/dev/null", O_WRONLY);

	if (silent >= 0)
		dup2(silent, STDOUT_FILENO);
	execve("/proc/self/exe", argv, environment);
	_exit(127);
}

/*
 * Starts the program again with its command line, and reads its results.
 * Returns 0, -errno, or the run's exit status in the form of a shell (128 +
 * signal number if a signal ended it).
 */
SELFMON_INLINE int
selfmon_impl_bench_again(struct selfmon_bench_result *results, size_t size)
{
	char variable[64], *text = NULL, **argv, **environment;
	int ends[2], status = 0, ret = -ENOMEM;
	pid_t child = -1;

	if (pipe(ends))
		return -errno;
	snprintf(variable, sizeof(variable), SELFMON_IMPL_BENCH_PIPE "=%d",
		 ends[1]);
	argv = selfmon_impl_bench_command(&text);
	environment = selfmon_impl_bench_environment(variable);
	fflush(NULL);
	if (argv && environment) {
		child = fork();
		if (child < 0)
			ret = -errno;
	}
	if (child == 0) {
		close(ends[0]);
		selfmon_impl_bench_exec(argv, environment);
	}
	close(ends[1]);
	if (child > 0) {
		ret = selfmon_impl_bench_receive(ends[0], results, size) ? 0
									 : -EIO;
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		if (ret && WIFEXITED(status) && WEXITSTATUS(status))
			ret = WEXITSTATUS(status);
		else if (ret && WIFSIGNALED(status))
			ret = 128 + WTERMSIG(status);
	}
	close(ends[0]);
	free(environment);
	free(argv);
	free(text);
	return ret;
}

/* Appends the samples of a further run. */
SELFMON_INLINE void
selfmon_impl_bench_append(struct selfmon_bench_quantity *to,
			  const struct selfmon_bench_quantity *from,
			  unsigned int run)
{
	unsigned int i;

	if (to->verdict == SELFMON_NOT_COUNTED)
		return;
	if (from->verdict == SELFMON_NOT_COUNTED) {
		to->verdict = SELFMON_NOT_COUNTED;
		to->count = 0;
		return;
	}
	if (from->verdict > to->verdict)
		to->verdict = from->verdict;
	if (from->fastest > 0 &&
	    (to->fastest <= 0 || from->fastest < to->fastest))
		to->fastest = from->fastest;
	for (i = 0; i < from->count &&
		    to->count < SELFMON_BENCH_SAMPLES_MAX; i++) {
		to->slot[to->count] = (uint16_t)(
			run * SELFMON_BENCH_ROUNDS_MAX + from->slot[i]);
		to->sample[to->count++] = from->sample[i];
	}
}

/*
 * Adds `from`, the results of a further run, to `to`, the results of all runs
 * before it. `run` is the number of the further run, from 1 on. Does not
 * compute medians.
 */
SELFMON_INLINE void
selfmon_impl_bench_merge(struct selfmon_bench_result *to,
			 const struct selfmon_bench_result *from, size_t count,
			 unsigned int run)
{
	unsigned int q;
	size_t i;

	for (i = 0; i < count; i++) {
		to[i].rounds += from[i].rounds;
		to[i].dropped += from[i].dropped;
		to[i].disturbed += from[i].disturbed;
		for (q = 0; q < to[i].quantities; q++)
			selfmon_impl_bench_append(&to[i].quantity[q],
						  &from[i].quantity[q], run);
	}
}

SELFMON_C_END

#endif
