/* SPDX-License-Identifier: MIT */
/*
 * Runs the tests of the plain criterion.h, each in a forked process. Arguments
 * are names of suites; without arguments, all suites run.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_SKIPPED 77
/* Seconds. A test that takes longer fails, unless its own timeout is longer. */
#define TIMEOUT 600

static struct plain_test *tests;
static int timeout = TIMEOUT; /* TEST_TIMEOUT overrides this */
static bool progress; /* TEST_PROGRESS: names each test as it begins */
static bool failed; /* in the child: an expectation was not met */
static const struct plain_test *current; /* in the child */

void plain_register(struct plain_test *test)
{
	test->next = tests;
	tests = test;
}

void plain_failed(const char *file, int line, bool fatal, const char *what,
		  const char *format, ...)
{
	va_list arguments;

	printf("%s:%d: failed: %s", file, line, what);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	failed = true;
	if (fatal)
		exit(1);
}

void plain_skip(const char *format, ...)
{
	va_list arguments;

	printf("skipped %s::%s: ", current->suite, current->name);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	exit(EXIT_SKIPPED);
}

void plain_log(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static const struct plain_options *suite_of(const struct plain_test *test)
{
	static const struct plain_options none;
	const struct plain_test *suite;

	for (suite = tests; suite; suite = suite->next)
		if (!suite->name && !strcmp(suite->suite, test->suite))
			return &suite->options;
	return &none;
}

static void run_in_child(const struct plain_test *test)
{
	const struct plain_options *suite = suite_of(test);

	alarm(test->options.timeout > timeout
		      ? (unsigned int)test->options.timeout
		      : (unsigned int)timeout);
	if (suite->init)
		suite->init();
	if (test->options.init)
		test->options.init();
	test->run();
	if (test->options.fini)
		test->options.fini();
	if (suite->fini)
		suite->fini();
	exit(failed ? 1 : 0);
}

static int run(const struct plain_test *test)
{
	int status;
	pid_t pid;

	if (progress)
		printf("RUN %s::%s\n", test->suite, test->name);
	fflush(stdout);
	current = test;
	pid = fork();
	if (pid == 0)
		run_in_child(test);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	if (WIFSIGNALED(status)) {
		printf("killed by signal %d\n", WTERMSIG(status));
		return 1;
	}
	return WEXITSTATUS(status);
}

/* Returns true if there is a suite with this name. */
static bool is_suite(const char *name)
{
	const struct plain_test *test;

	for (test = tests; test; test = test->next)
		if (test->name && !strcmp(test->suite, name))
			return true;
	return false;
}

static bool is_wanted(const struct plain_test *test, char *const *suites)
{
	if (!*suites)
		return true;
	for (; *suites; suites++)
		if (!strcmp(test->suite, *suites))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	int count[3] = { 0 }; /* passed, failed, skipped */
	const struct plain_test *test;
	const char *const seconds = getenv("TEST_TIMEOUT");
	int i;

	progress = getenv("TEST_PROGRESS") != NULL;
	if (seconds)
		timeout = atoi(seconds);
	for (i = 1; i < argc; i++) {
		if (!is_suite(argv[i])) {
			printf("no suite %s\n", argv[i]);
			return 2;
		}
	}
	for (test = tests; test; test = test->next) {
		int result;

		if (!test->name || !is_wanted(test, argv + 1))
			continue;
		result = run(test);
		count[result == 0 ? 0 : result == EXIT_SKIPPED ? 2 : 1]++;
		if (result && result != EXIT_SKIPPED)
			printf("FAILED %s::%s\n", test->suite, test->name);
	}
	printf("%d passed, %d failed, %d skipped\n", count[0], count[1],
	       count[2]);
	return count[1] > 0 || count[0] == 0;
}
