/* SPDX-License-Identifier: MIT */
/* Regions nested to a depth of 1 to 16; cost per pair, measuring only time. */
#include <selfmon.h>

#include "bench.h"

static __attribute__((noinline)) void down(unsigned int depth)
{
	SELFMON_REGION("nested")
	{
		if (depth > 1)
			down(depth - 1);
		selfmon_compiler_fence();
	}
}

static __attribute__((noinline)) void bare_down(unsigned int depth)
{
	const uint64_t start = selfmon_arch_timestamp();

	if (depth > 1)
		bare_down(depth - 1);
	bench_keep(selfmon_arch_timestamp() - start);
}

static void bare_deepest(uint64_t n)
{
	for (; n > 0; n--)
		bare_down(16);
}

#define DEPTH(depth)                                                           \
	static void deep_##depth(uint64_t n)                                   \
	{                                                                      \
		for (; n > 0; n--)                                             \
			down(depth);                                           \
	}
DEPTH(1)
DEPTH(2)
DEPTH(4)
DEPTH(8)
DEPTH(16)

void bench_case_nesting(void)
{
	const uint64_t n = bench_effort.visits;
	struct bench_operation operation[] = {
		{ "bare timestamp pairs, 16 deep", bare_deepest, n / 16, 16, -1,
		  NULL, 0, BENCH_INFORM, { 0 } },
		{ "region pair, 1 deep", deep_1, n, 1, 0, "timestamp pairs", 0,
		  BENCH_INFORM, { 0 } },
		{ "region pair, 2 deep", deep_2, n / 2, 2, 0, "timestamp pairs",
		  0, BENCH_INFORM, { 0 } },
		{ "region pair, 4 deep", deep_4, n / 4, 4, 0, "timestamp pairs",
		  0, BENCH_INFORM, { 0 } },
		{ "region pair, 8 deep", deep_8, n / 8, 8, 0, "timestamp pairs",
		  0, BENCH_INFORM, { 0 } },
		{ "region pair, 16 deep", deep_16, n / 16, 16, 0,
		  "timestamp pairs", 0, BENCH_INFORM, { 0 } },
	};

	bench_configure(NULL);
	bench_measure(operation, sizeof(operation) / sizeof(operation[0]));
}
