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

static void configure(const char *events, const char *record)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events ? events : "none";
	options.record = record;
	options.output = NULL;
	if (selfmon_configure(&options))
		bench_fail("selfmon_configure");
}

void bench_configure(const char *events)
{
	configure(events, NULL);
}

void bench_configure_recorded(void)
{
	configure(NULL, "slowest");
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
