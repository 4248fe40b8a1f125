/* SPDX-License-Identifier: MIT */
/*
 * A benchmark with selfmon_bench.h: two ways to sum numbers, measured
 * alternately. It prints CPU time and counters per iteration, each with its
 * interval.
 *
 *	cc -O2 sums.c $(pkg-config --cflags --libs selfmon) -o sums
 *	./sums --json=before.json
 *	./sums --baseline=before.json --gate=1
 */
#include <selfmon_bench.h>

#define NUMBERS 1024

static uint32_t number[NUMBERS];

/* Storing the sums here keeps the compiler from removing the loops. */
static volatile uint64_t sink;

static void forwards(void *context, uint64_t turns)
{
	(void)context;
	for (; turns > 0; turns--) {
		uint64_t sum = 0;

		for (size_t i = 0; i < NUMBERS; i++)
			sum += number[i];
		sink = sum;
	}
}

static void scattered(void *context, uint64_t turns)
{
	(void)context;
	for (; turns > 0; turns--) {
		uint64_t sum = 0;

		for (size_t i = 0; i < NUMBERS; i++)
			sum += number[i * 167 % NUMBERS];
		sink = sum;
	}
}

int main(int argc, char **argv)
{
	static const struct selfmon_bench_case cases[] = {
		{ "forwards", forwards, NULL },
		{ "scattered", scattered, NULL },
	};

	for (uint32_t i = 0; i < NUMBERS; i++)
		number[i] = i;
	return selfmon_bench_main(argc, argv, cases, 2);
}
