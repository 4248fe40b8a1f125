/* SPDX-License-Identifier: MIT */
/* Regions that measure only time, one after the other. */
#include <stdio.h>

#include <selfmon.h>

#include "bench.h"

static struct selfmon_region *handle;

static void block(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("block")
			selfmon_compiler_fence();
}

static void named(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION_OF(handle)
			selfmon_compiler_fence();
}

static void span(uint64_t n)
{
	struct selfmon_frame frame;

	for (; n > 0; n--) {
		selfmon_enter(handle, &frame);
		selfmon_compiler_fence();
		selfmon_leave(&frame);
	}
}

void bench_case_time(void)
{
	const uint64_t n = bench_effort.visits;
	struct bench_operation operation[] = {
		{ "bare timestamp pair", bench_bare_timestamps, n, 0, -1, NULL,
		  0, BENCH_INFORM, { 0 } },
		{ "bare clock_gettime pair", bench_bare_gettime, n, 0, 0,
		  "timestamp pair", 0, BENCH_INFORM, { 0 } },
		{ "region pair, time only", block, n, 0, 0, "timestamp pair",
		  1.25, BENCH_RATIO, { 0 } },
		{ "region pair, name made at run time", named, n, 0, 0,
		  "timestamp pair", 0, BENCH_INFORM, { 0 } },
		{ "span pair, time only", span, n, 0, 0, "timestamp pair", 0,
		  BENCH_INFORM, { 0 } },
#ifdef __x86_64__
		{ "bare lfence + rdtsc pair", bench_bare_lfence_rdtsc, n, 0, 0,
		  "timestamp pair", 0, BENCH_INFORM, { 0 } },
		{ "bare rdtscp pair", bench_bare_rdtscp, n, 0, 0,
		  "timestamp pair", 0, BENCH_INFORM, { 0 } }, /* last */
#endif
	};
	size_t count = sizeof(operation) / sizeof(operation[0]);

	bench_configure(NULL);
	handle = selfmon_region("handle");
#ifdef __x86_64__
	if (!bench_bare_has_rdtscp()) {
		fputs("bare rdtscp pair: skipped, not in this CPU\n", stderr);
		count--;
	}
#endif
	bench_measure(operation, count);
}
