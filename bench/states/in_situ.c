/* SPDX-License-Identifier: MIT */
/*
 * Measures what a region adds around real work. A region's instructions may
 * overlap with the work, or be delayed by the work. A loop of empty regions
 * cannot show this. The bare floor is the least that any profiler does: two
 * timestamps and a stored sum.
 */
#include <selfmon.h>

#include "../bench.h"
#include "candidate.h"
#include "work.h"

#define VISITS 200
#define WARM_UP 40

typedef uint64_t loop_fn(uint64_t n, uint64_t x);

struct kind {
	loop_fn *plain, *floor, *region;
};

static volatile uint64_t sum;
static uint64_t chain; /* each loop begins with the result of the one before */

#define LOOPS(kind)                                                            \
	static NOINLINE uint64_t kind##_plain(uint64_t n, uint64_t x)          \
	{                                                                      \
		for (; n > 0; n--) {                                           \
			x = work_##kind(x);                                    \
			HIDE(x);                                               \
		}                                                              \
		return x;                                                      \
	}                                                                      \
	static NOINLINE uint64_t kind##_floor(uint64_t n, uint64_t x)          \
	{                                                                      \
		for (; n > 0; n--) {                                           \
			const uint64_t start = selfmon_arch_timestamp();       \
                                                                               \
			x = work_##kind(x);                                    \
			HIDE(x);                                               \
			sum += selfmon_arch_timestamp() - start;               \
		}                                                              \
		return x;                                                      \
	}                                                                      \
	static NOINLINE uint64_t kind##_region(uint64_t n, uint64_t x)         \
	{                                                                      \
		candidate_visits += n;                                         \
		for (; n > 0; n--) {                                           \
			SELFMON_REGION("work " #kind)                          \
			{                                                      \
				x = work_##kind(x);                            \
				HIDE(x);                                       \
			}                                                      \
		}                                                              \
		return x;                                                      \
	}
WORK_LIST(LOOPS)

#define KIND(kind) { kind##_plain, kind##_floor, kind##_region },
static const struct kind kinds[] = { WORK_LIST(KIND) };

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == IN_SITU_KINDS,
	       "columns of in_situ_measure()");

static double ns_a_visit(loop_fn *loop)
{
	uint64_t start;

	chain = loop(WARM_UP, chain);
	start = bench_now_ns();
	chain = loop(VISITS, chain);
	return (double)(bench_now_ns() - start) / VISITS;
}

void prepare_in_situ(void)
{
	bench_configure(NULL);
	work_fill_memory();
}

void in_situ_measure(double *plain, double *floor_added, double *region_added)
{
	unsigned int k;

	for (k = 0; k < IN_SITU_KINDS; k++) {
		plain[k] = ns_a_visit(kinds[k].plain);
		floor_added[k] = ns_a_visit(kinds[k].floor) - plain[k];
		region_added[k] = ns_a_visit(kinds[k].region) - plain[k];
	}
}
