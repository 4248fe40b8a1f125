/* SPDX-License-Identifier: MIT */
/* Code that the bench's programs and those of its peers share. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <selfmon.h>

#include "bench.h"

struct bench_effort bench_effort = { 1001, 4800, 200 };
static const struct bench_effort quick = { 101, 4800, 50 };

static void say(const char *format, va_list arguments)
{
	fflush(stdout);
	fprintf(stderr, "bench: ");
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\n");
}

void bench_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	_exit(1);
}

void bench_refused(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	_exit(0);
}

static void configure(struct selfmon_options *options)
{
	options->output = NULL;
	if (selfmon_configure(options))
		bench_fail("selfmon_configure");
}

void bench_configure(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events ? events : "none";
	configure(&options);
}

void bench_configure_recorded(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "none";
	options.record = "slowest";
	configure(&options);
}

/* No visit takes as long as `longer`, so nothing is written to the file. */
void bench_configure_traced(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	char file[64], trace[96];

	snprintf(file, sizeof(file), "/dev/shm/selfmon-bench-%d.trace",
		 (int)getpid());
	snprintf(trace, sizeof(trace), "%s,longer=100s", file);
	options.events = "none";
	options.trace = trace;
	configure(&options);
	unlink(file);
}

/* Pins to the current CPU, since other CPUs may be busy or not allowed. */
void bench_pin(void)
{
	const int cpu = sched_getcpu();
	cpu_set_t one;

	CPU_ZERO(&one);
	if (cpu >= 0)
		CPU_SET((size_t)cpu, &one);
	if (cpu < 0 || sched_setaffinity(0, sizeof(one), &one))
		fprintf(stderr, "bench: not pinned to a CPU\n");
}

/* The environment would override selfmon_configure(). */
static void clear_environment(void)
{
	static const char *const names[] = {
		"SELFMON_EVENTS", "SELFMON_OUTPUT", "SELFMON_ENABLE",
		"SELFMON_FENCE", "SELFMON_EVERY", "SELFMON_STRICT",
		"SELFMON_LIVE", "SELFMON_GUARD", "SELFMON_RECORD",
		"SELFMON_SAMPLE", "SELFMON_TRACE",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

void bench_prepare(bool is_quick)
{
	if (is_quick)
		bench_effort = quick;
	clear_environment();
}
