/* SPDX-License-Identifier: MIT */
/*
 * Reference loops: known work whose time shows the current speed of the
 * machine.
 */
#ifndef SELFMON_BENCH_REFERENCE_H
#define SELFMON_BENCH_REFERENCE_H

#include "bench_run.h"

SELFMON_C_BEGIN

/*
 * selfmon_bench_main() measures these loops together with the cases. The first
 * loop is latency-bound and depends only on the core's clock. The second fills
 * the core's execution units, so it also slows down while another hardware
 * thread uses the core. The gate divides CPU times by these loops, since the
 * machine may now be slower than when the baseline was measured.
 */
#define SELFMON_BENCH_REFERENCES 2

SELFMON_INLINE void selfmon_impl_bench_latency(void *context, uint64_t turns)
{
	volatile uint64_t *const sink = (volatile uint64_t *)context;
	uint64_t x = *sink | 1;
	unsigned int i;

	for (; turns > 0; turns--)
		for (i = 0; i < 64; i++)
			x = x * UINT64_C(6364136223846793005) + (x >> 33);
	*sink = x;
}

SELFMON_INLINE void selfmon_impl_bench_throughput(void *context,
						  uint64_t turns)
{
	volatile uint64_t *const sink = (volatile uint64_t *)context;
	uint64_t a = *sink | 1, b = a + 1, c = a + 2, d = a + 3;
	unsigned int i;

	for (; turns > 0; turns--)
		for (i = 0; i < 64; i++) {
			a ^= a << 13;
			b ^= b >> 7;
			c ^= c << 17;
			d ^= d >> 9;
			a += i;
			b += i;
			c += i;
			d += i;
		}
	*sink = a + b + c + d;
}

/*
 * Sets cases[0] and cases[1] to the loops. *sink must exist as long as the
 * cases.
 */
SELFMON_INLINE void
selfmon_impl_bench_references(struct selfmon_bench_case *cases, uint64_t *sink)
{
	cases[0].name = "reference/latency";
	cases[0].run = selfmon_impl_bench_latency;
	cases[0].context = sink;
	cases[1].name = "reference/throughput";
	cases[1].run = selfmon_impl_bench_throughput;
	cases[1].context = sink;
}

SELFMON_C_END

#endif
