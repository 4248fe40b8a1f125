/* SPDX-License-Identifier: MIT */
#include "hw/nops.h"

#include <time.h>

static uint64_t thread_ns(void)
{
	struct timespec now;

	cr_assert_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Measures the iterations per ns of this thread's time, for at least a
 * millisecond.
 */
static double turns_a_ns(void)
{
	uint64_t turns = 1, took;

	do {
		turns *= 2;
		took = thread_ns();
		nops(turns);
		took = thread_ns() - took;
	} while (took < 1000000);
	return (double)turns / (double)took;
}

uint64_t nops_turns(uint64_t ns)
{
	static double rate;

	if (rate <= 0)
		rate = hw_guest() ? 1.0 / NOPS_TURN : turns_a_ns();
	return (uint64_t)((double)ns * rate) + 1;
}

HW_NOINLINE void nops_visit(struct selfmon_counters *set, uint64_t n,
			    struct selfmon_delta *delta)
{
	struct selfmon_snapshot a, b;

	selfmon_counters_begin(set, &a);
	nops(n);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, delta);
}
