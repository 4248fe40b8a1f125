/* SPDX-License-Identifier: MIT */
/* The same loop as the others', with SELFMON_DISABLE: nothing is left. */
#define SELFMON_DISABLE
#include <selfmon.h>

#include "bench.h"

void bench_compiled_out(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("compiled out")
			selfmon_compiler_fence();
}
