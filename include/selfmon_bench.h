/* SPDX-License-Identifier: MIT */
/*
 * A small benchmark harness over counter sets; header-only.
 *
 *	static void copy(void *context, uint64_t turns)
 *	{
 *		for (uint64_t i = 0; i < turns; i++)
 *			...
 *	}
 *	int main(int argc, char **argv)
 *	{
 *		static const struct selfmon_bench_case cases[] = {
 *			{ "copy", copy, NULL }, { "move", move, NULL },
 *		};
 *		return selfmon_bench_main(argc, argv, cases, 2);
 *	}
 *
 * Per-iteration cost is the slope between batches of n and 2n iterations. Fixed
 * overhead cancels: the harness, the set-up of a call, its first page faults.
 * n is a power of two whose batch takes at least 0.25 ms, so that most batches
 * fit between two context switches of a busy machine. A pair of batches with an
 * involuntary context switch is measured again. Cases alternate within each
 * round, so that changes of the machine's speed affect all of them. The harness
 * reports the median over rounds, a bootstrapped 95 % confidence interval and
 * the minimum.
 *
 * CPU time is measured on every machine. Instructions vary least from run to
 * run: --gate=PERCENT uses them if this run and the baseline have them, else
 * CPU time. The harness cannot be compiled with SELFMON_DISABLE.
 */
#ifndef SELFMON_BENCH_H
#define SELFMON_BENCH_H

#ifdef SELFMON_DISABLE
#error "selfmon_bench.h measures: do not define SELFMON_DISABLE for a benchmark"
#endif

#include "selfmon/bench_main.h"

#endif
