/* SPDX-License-Identifier: MIT */
/* The loop of off.c with SELFMON_DISABLE: regions compile to nothing. */
#define SELFMON_DISABLE
#include <selfmon.h>

#include "bench.h"

void bench_compiled_out(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("compiled out")
			selfmon_compiler_fence();
}
