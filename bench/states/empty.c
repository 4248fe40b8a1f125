/* SPDX-License-Identifier: MIT */
#include "empty.h"

#include "../bench.h"

#define TRIES 5
#define ITERATIONS 10000

/* Aligned, so that its speed does not depend on where the linker puts it. */
static __attribute__((noinline, aligned(64))) void empty(uint64_t n)
{
	for (; n > 0; n--)
		__asm__ volatile("" : : : "memory");
}

double empty_loop_ns(void)
{
	uint64_t least = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		const uint64_t start = bench_now_ns();
		uint64_t ns;

		empty(ITERATIONS);
		ns = bench_now_ns() - start;
		if (ns < least)
			least = ns;
	}
	return (double)least / ITERATIONS;
}
