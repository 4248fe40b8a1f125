/* SPDX-License-Identifier: MIT */
/* Regions switched off at run time and at compile time. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <selfmon.h>

#include "bench.h"

static void switched_off(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("switched off")
			selfmon_compiler_fence();
}

void bench_case_off(void)
{
	const uint64_t n = bench_effort.visits * 10;
	struct bench_operation operation[] = {
		{ "empty loop", bench_bare_empty, n, 0, -1, NULL, 0,
		  BENCH_INFORM, { 0 } },
		{ "region pair, switched off at run time", switched_off, n, 0,
		  -1, NULL, 2, BENCH_MEDIAN, { 0 } },
		{ "region pair, compiled out", bench_compiled_out, n, 0, 0,
		  "empty loop", 0, BENCH_INFORM, { 0 } },
	};

	bench_configure(NULL);
	selfmon_enable(false);
	bench_measure(operation, sizeof(operation) / sizeof(operation[0]));
}

#define START_BUDGET_US 20

/* Runs in a process that has not yet used the library. */
static double first_us(void)
{
	uint64_t start;

	bench_now_ns(); /* the first clock_gettime(2) takes longer */
	start = bench_now_ns();
	switched_off(1);
	return (double)(bench_now_ns() - start) / 1000;
}

static double first_us_of_a_process(void)
{
	int ends[2];
	double us;
	pid_t child;

	if (pipe(ends) || (child = fork()) < 0)
		bench_fail("no process");
	if (child == 0) {
		us = first_us();
		if (selfmon_enable(false) ||
		    write(ends[1], &us, sizeof(us)) != sizeof(us))
			_exit(1);
		_exit(0);
	}
	close(ends[1]);
	if (read(ends[0], &us, sizeof(us)) != sizeof(us))
		bench_fail("SELFMON_ENABLE=0 has not switched regions off");
	close(ends[0]);
	waitpid(child, NULL, 0);
	return us;
}

/*
 * Measures the first region of a process when regions are switched off. This
 * cost occurs once, in addition to the cost of each pair.
 */
void bench_case_off_start(void)
{
	const unsigned int count = bench_effort.threads;
	double *const us = calloc(count, sizeof(*us));
	struct bench_row row;
	unsigned int i;

	if (!us || setenv("SELFMON_ENABLE", "0", 1))
		bench_fail("no memory");
	for (i = 0; i < count; i++)
		us[i] = first_us_of_a_process();
	memset(&row, 0, sizeof(row));
	snprintf(row.what, sizeof(row.what),
		 "first region of the process, SELFMON_ENABLE=0");
	snprintf(row.unit, sizeof(row.unit), "us");
	row.budget = START_BUDGET_US;
	row.judge = BENCH_MEDIAN;
	bench_summary(us, count, &row);
	bench_emit(&row);
	free(us);
}
