/* SPDX-License-Identifier: MIT */
/* Regions that are switched off, at run time and at compile time. */
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
