/* SPDX-License-Identifier: MIT */
/*
 * Compares PAPI with libselfmon: the same four software events in one process,
 * alternately. Without a PMU both read them by one system call at each end.
 */
#define _GNU_SOURCE
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <selfmon.h>

#include "bench.h"

static const char *const names[BENCH_SOFTWARE_COUNT] = {
	"perf::PAGE-FAULTS", "perf::MINOR-FAULTS", "perf::MAJOR-FAULTS",
	"perf::TASK-CLOCK",
};

static int set = PAPI_NULL;

static void read_pair(uint64_t n)
{
	long long value[BENCH_SOFTWARE_COUNT];

	for (; n > 0; n--) {
		PAPI_read(set, value);
		PAPI_read(set, value);
	}
}

static void start_stop(uint64_t n)
{
	long long value[BENCH_SOFTWARE_COUNT];

	PAPI_stop(set, value);
	for (; n > 0; n--) {
		PAPI_start(set);
		PAPI_stop(set, value);
	}
	PAPI_start(set);
}

/*
 * PAPI's high-level API has one event set per process, which its first call
 * opens.
 */
static void high_level(uint64_t n)
{
	for (; n > 0; n--) {
		PAPI_hl_region_begin("block");
		PAPI_hl_region_end("block");
	}
}

static void region(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("block")
			selfmon_compiler_fence();
}

static void start(void)
{
	const int version = PAPI_library_init(PAPI_VER_CURRENT);
	int i, error;

	if (version != PAPI_VER_CURRENT)
		bench_refused("PAPI refuses this machine: %s",
			      PAPI_strerror(version));
	PAPI_create_eventset(&set);
	for (i = 0; i < BENCH_SOFTWARE_COUNT; i++) {
		error = PAPI_add_named_event(set, names[i]);
		if (error != PAPI_OK)
			bench_refused("PAPI refuses %s: %s", names[i],
				      PAPI_strerror(error));
	}
}

static void measure_low_level(void)
{
	const uint64_t n = bench_effort.visits / 40;
	struct bench_operation operation[] = {
		{ "region pair, 4 software events", region, n, 0, -1, NULL, 0,
		  BENCH_INFORM, { 0 } },
		{ "PAPI: two PAPI_read, the same events", read_pair, n, 0, 0,
		  "region pair", 0, BENCH_INFORM, { 0 } },
		{ "PAPI: PAPI_start + PAPI_stop, the same", start_stop, n, 0, 0,
		  "region pair", 0, BENCH_INFORM, { 0 } },
	};

	start();
	if (PAPI_start(set) != PAPI_OK)
		bench_refused("PAPI does not start these events");
	bench_measure(operation, sizeof(operation) / sizeof(operation[0]));
}

/*
 * The region pair is measured again, since only operations of one measurement
 * alternate.
 */
static void measure_high_level(void)
{
	const uint64_t n = bench_effort.visits / 40;
	struct bench_operation operation[] = {
		{ "region pair, 4 software events", region, n, 0, -1, NULL, 0,
		  BENCH_INFORM, { 0 } },
		{ "PAPI: PAPI_hl_region_begin + _end", high_level, n, 0, 0,
		  "region pair", 0, BENCH_INFORM, { 0 } },
	};

	setenv("PAPI_EVENTS", "perf::PAGE-FAULTS,perf::MINOR-FAULTS,"
	       "perf::MAJOR-FAULTS,perf::TASK-CLOCK", 1);
	setenv("PAPI_REPORT", "0", 1);
	if (PAPI_hl_region_begin("block") != PAPI_OK ||
	    PAPI_hl_region_end("block") != PAPI_OK)
		bench_refused("PAPI's high level refuses these events");
	bench_measure(operation, sizeof(operation) / sizeof(operation[0]));
}

int main(int argc, char **argv)
{
	bench_prepare(argc > 3 && strcmp(argv[3], "--quick") == 0);
	bench_pin();
	bench_configure(BENCH_SOFTWARE);
	measure_low_level();
	PAPI_stop(set, NULL);
	measure_high_level();
	_exit(0); /* PAPI would write its report into this directory */
}
