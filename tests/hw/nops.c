/* SPDX-License-Identifier: MIT */
/* A region of many instructions, out of line. */
#include "hw/nops.h"

HW_NOINLINE void nops_visit(struct selfmon_counters *set, uint64_t n,
			    struct selfmon_delta *delta)
{
	struct selfmon_snapshot a, b;

	selfmon_counters_begin(set, &a);
	nops(n);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, delta);
}
