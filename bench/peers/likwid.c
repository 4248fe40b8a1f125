/* SPDX-License-Identifier: MIT */
/*
 * Compares LIKWID's marker API with libselfmon, with one counted event. If
 * LIKWID does not support the machine, prints a message instead.
 */
#define _GNU_SOURCE
#include <likwid.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <selfmon.h>

#include "bench.h"

static void marker(uint64_t n)
{
	for (; n > 0; n--) {
		likwid_markerStartRegion("block");
		likwid_markerStopRegion("block");
	}
}

static void region(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("block")
			selfmon_compiler_fence();
}

/* Sets the variables that LIKWID's launcher, likwid-perfctr, would set. */
static void start(void)
{
	char cpu[16];

	snprintf(cpu, sizeof(cpu), "%d", sched_getcpu());
	setenv("LIKWID_FILEPATH", "/dev/null", 1);
	setenv("LIKWID_MODE", "-1", 1);
	setenv("LIKWID_FORCE", "1", 1);
	setenv("LIKWID_THREADS", cpu, 1);
	setenv("LIKWID_EVENTS", "PAGE_FAULTS:PERF0", 0);
	likwid_markerInit();
	likwid_markerThreadInit();
	if (likwid_markerStartRegion("block") ||
	    likwid_markerStopRegion("block"))
		bench_refused("LIKWID refuses this machine: see above");
}

/* --ask: reports whether LIKWID supports this machine. */
static _Noreturn void ask(void)
{
	start();
	printf("LIKWID supports this machine\n");
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct bench_operation operation[] = {
		{ "region pair, 1 software event", region, 0, 0, -1, NULL, 0,
		  BENCH_INFORM, { 0 } },
		{ "LIKWID: MARKER_START + MARKER_STOP, the same", marker, 0, 0,
		  0, "region pair", 0, BENCH_INFORM, { 0 } },
	};
	const int rows = dup(STDOUT_FILENO);

	bench_prepare(argc > 3 && strcmp(argv[3], "--quick") == 0);
	bench_pin();
	dup2(STDERR_FILENO, STDOUT_FILENO); /* LIKWID prints there */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && strcmp(argv[1], "--ask") == 0)
		ask();
	start();
	dup2(rows, STDOUT_FILENO);
	bench_configure("page-faults");
	operation[0].n = operation[1].n = bench_effort.visits / 40;
	bench_measure(operation, sizeof(operation) / sizeof(operation[0]));
	_exit(0);
}
