/* SPDX-License-Identifier: MIT */
/*
 * For tests of the report at exit, in processes with other environments. Files
 * that include this must define _GNU_SOURCE.
 */
#ifndef SELFMON_TESTS_EXITS_H
#define SELFMON_TESTS_EXITS_H

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <selfmon.h>

static char text[1 << 16]; /* output of the last child */

static inline void visit(void)
{
	SELFMON_REGION("visited")
	{
	}
}

static inline void set_variables(const char *const *variable)
{
	unsetenv("SELFMON_OUTPUT"); /* may be set for the test run */
	/* The result must be the same with and without a PMU. */
	setenv("SELFMON_EVENTS", "none", 1);
	for (; *variable; variable += 2)
		setenv(variable[0], variable[1], 1);
}

/*
 * Runs body in a child, which then calls exit(). Stores the child's standard
 * error in text. Returns the child's exit status, or 0 if SIGABRT ended the
 * child.
 */
static inline int run_with(const char *const *variable, void (*body)(void))
{
	const int file = memfd_create("stderr", 0);
	ssize_t length;
	int status;
	pid_t pid;

	cr_assert_geq(file, 0);
	pid = fork();
	if (pid == 0) {
		/* Kills the child if it hangs, so that the test fails. */
		alarm(20);
		dup2(file, STDERR_FILENO);
		set_variables(variable);
		body();
		exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status) || WTERMSIG(status) == SIGABRT,
		  "signal %d", WTERMSIG(status));
	length = pread(file, text, sizeof(text) - 1, 0);
	cr_assert_geq(length, 0);
	text[length] = '\0';
	close(file);
	return WEXITSTATUS(status);
}

/* RUN(body, name, value, ..., NULL) */
#define RUN(body, ...) run_with((const char *const[]){ __VA_ARGS__ }, body)

#define ASSERT_SAYS(words) cr_assert(strstr(text, words), "%s", text)
#define ASSERT_SILENT() cr_assert_str_empty(text)

static inline size_t count_of(const char *word)
{
	size_t count = 0;
	const char *at;

	for (at = text; (at = strstr(at, word)); at += strlen(word))
		count++;
	return count;
}

static inline char *file_text(const char *path)
{
	static char content[1 << 16];
	FILE *file = fopen(path, "r");
	size_t length;

	cr_assert_not_null(file, "%s", path);
	length = fread(content, 1, sizeof(content) - 1, file);
	content[length] = '\0';
	fclose(file);
	return content;
}

#endif
