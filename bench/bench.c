/* SPDX-License-Identifier: MIT */
/*
 * The driver: runs each case as a process of its own, pinned to one CPU, and
 * prints the rows it sends.
 *
 *	bench [--json] [--quick] [--case NAME]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <selfmon.h>

#include "bench.h"

struct bench_effort bench_effort = { 1001, 4800, 200 };
static const struct bench_effort quick = { 101, 4800, 50 };

static const struct bench_case {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "time", bench_case_time },
	{ "nested", bench_case_nested },
	{ "off", bench_case_off },
	{ "software", bench_case_software },
	{ "read", bench_case_read },
	{ "threads", bench_case_threads },
	{ "threads-software", bench_case_threads_software },
	{ "memory", bench_case_memory },
};

void bench_fail(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "bench: ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n");
	_exit(1);
}

void bench_configure(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events ? events : "none";
	options.output = NULL;
	if (selfmon_configure(&options))
		bench_fail("selfmon_configure");
}

/* The CPU it runs on now: others may be busy, or not allowed. */
static void pin(void)
{
	const int cpu = sched_getcpu();
	cpu_set_t one;

	CPU_ZERO(&one);
	if (cpu >= 0)
		CPU_SET((size_t)cpu, &one);
	if (cpu < 0 || sched_setaffinity(0, sizeof(one), &one))
		fprintf(stderr, "bench: not pinned to a CPU\n");
}

/* The environment wins over selfmon_configure(): out with it. */
static void clear_environment(void)
{
	static const char *const names[] = {
		"SELFMON_EVENTS", "SELFMON_OUTPUT", "SELFMON_ENABLE",
		"SELFMON_FENCE", "SELFMON_EVERY", "SELFMON_STRICT",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

/* In the child: this program once more, rows instead of a table. */
static _Noreturn void run_child(const struct bench_case *of, bool is_quick,
				int rows)
{
	dup2(rows, STDOUT_FILENO);
	execl("/proc/self/exe", "bench", "--rows", of->name,
	      is_quick ? "--quick" : NULL, (char *)NULL);
	bench_fail("cannot run itself");
}

static bool run_case(const struct bench_case *of, bool json, bool is_quick)
{
	struct bench_row row;
	int ends[2], status = 0;
	FILE *rows;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) || (child = fork()) < 0)
		bench_fail("no process");
	if (child == 0)
		run_child(of, is_quick, ends[1]);
	close(ends[1]);
	rows = fdopen(ends[0], "r");
	while (rows && fread(&row, sizeof(row), 1, rows) == 1)
		bench_print_row(&row, json);
	if (rows)
		fclose(rows);
	waitpid(child, &status, 0);
	return status == 0;
}

static bool run_cases(const char *only, bool json, bool is_quick)
{
	bool ok = true;
	size_t i;

	bench_print_machine(json);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!only || strcmp(only, cases[i].name) == 0)
			ok = run_case(&cases[i], json, is_quick) && ok;
	bench_print_end(json);
	return ok;
}

static void run_rows(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(name, cases[i].name) == 0)
			cases[i].run();
}

static _Noreturn void usage(void)
{
	size_t i;

	fprintf(stderr, "usage: bench [--json] [--quick] [--case NAME]\n"
			"cases:");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		fprintf(stderr, " %s", cases[i].name);
	fprintf(stderr, "\n");
	exit(2);
}

int main(int argc, char **argv)
{
	const char *only = NULL, *rows = NULL;
	bool json = false, is_quick = false;
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0)
			json = true;
		else if (strcmp(argv[i], "--quick") == 0)
			is_quick = true;
		else if (strcmp(argv[i], "--case") == 0 && i + 1 < argc)
			only = argv[++i];
		else if (strcmp(argv[i], "--rows") == 0 && i + 1 < argc)
			rows = argv[++i];
		else
			usage();
	}
	if (is_quick)
		bench_effort = quick;
	clear_environment();
	if (rows) {
		pin();
		run_rows(rows);
		return 0;
	}
	return run_cases(only, json, is_quick) ? 0 : 1;
}
