/* SPDX-License-Identifier: MIT */
/*
 * Loops over known work, with a region around it and without, in turns. What
 * the region records beyond the bare loop's time is its overhead around such
 * work; the time of both loops gives what a visit adds in all.
 */
#include <stdlib.h>
#include <string.h>

#include "clock/clock.h"
#include "platform/keep.h"
#include "platform/kernel.h"
#include "region/shadow.h"
#include "region/visit.h"

#define VISITS 32 /* in a batch: a timestamp may move in steps of 10 ns */
#define ROUNDS 5
#define LONGEST_NS 500

/* ---- work: each visit needs the result of the one before ----------------- */

static ALWAYS_INLINE uint64_t work_multiply(uint64_t x, unsigned int n)
{
	while (n-- > 0) {
		x *= UINT64_C(6364136223846793005);
		selfmon_hide(x);
	}
	return x;
}

/* About 12 and 35 ns where a multiply takes 3 cycles. */
static uint64_t work_multiply_short(uint64_t x)
{
	return work_multiply(x, 16);
}

static uint64_t work_multiply_long(uint64_t x)
{
	return work_multiply(x, 48);
}

/* Few instructions, each of which takes long. */
static uint64_t work_divide(uint64_t x)
{
	unsigned int n;

#pragma GCC unroll 12
	for (n = 0; n < 12; n++) {
		x = UINT64_MAX / (x | 3);
		selfmon_hide(x);
	}
	return x;
}

/* As many instructions as the CPU can take, in a loop that it has to leave. */
static uint64_t work_add(uint64_t x)
{
	uint64_t a = x, b = x, c = x, d = x;
	unsigned int n, turns = 10;

	selfmon_hide(turns);
	while (turns-- > 0) {
#pragma GCC unroll 8
		for (n = 0; n < 8; n++) {
			a += 1;
			b ^= 7;
			c -= 5;
			d += 3;
			selfmon_hide(a);
			selfmon_hide(b);
			selfmon_hide(c);
			selfmon_hide(d);
		}
	}
	return a + b + c + d;
}

/* Branches that no predictor knows. */
static uint64_t work_branch(uint64_t x)
{
	unsigned int n;

	for (n = 0; n < 6; n++) {
		x = work_multiply(x, 1) + 1442695040888963407u;
		selfmon_hide(x);
		if (x >> 63) {
			x += 5;
			selfmon_hide(x);
		}
	}
	return x;
}

#define WORDS 64
static uint64_t work_load(uint64_t x)
{
	static uint64_t word[WORDS];
	const uint64_t *at = word;
	unsigned int n;

#pragma GCC unroll 64
	for (n = 0; n < WORDS; n++) {
		selfmon_hide(at); /* it may lead to anything */
		x += at[n];
		selfmon_hide(x);
	}
	return x;
}

/* ---- loops --------------------------------------------------------------- */

/*
 * Each kind is called, so that all loops have the very same work, whatever the
 * compiler makes of it.
 */
typedef uint64_t work_fn(uint64_t x);

static work_fn *const kinds[] = {
	work_multiply_short, work_multiply_long, work_divide, work_add,
	work_branch, work_load,
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Work in the outer region, and again in the inner one. */
struct shadow {
	struct selfmon_site outer, inner;
	const struct selfmon_stats *outer_stats, *inner_stats;
	work_fn *work;
	uint64_t x; /* each loop's result, with which the next begins */
};

typedef uint64_t loop_fn(struct shadow *shadow, work_fn *work, uint64_t x);

static NEVER_INLINE uint64_t loop_empty(struct shadow *shadow, work_fn *work,
					uint64_t x)
{
	unsigned int i;

	(void)shadow;
	(void)work;
	for (i = 0; i < VISITS; i++)
		selfmon_hide(x);
	return x;
}

static NEVER_INLINE uint64_t loop_once(struct shadow *shadow, work_fn *work,
				       uint64_t x)
{
	unsigned int i;

	(void)shadow;
	for (i = 0; i < VISITS; i++)
		x = work(x);
	return x;
}

static NEVER_INLINE uint64_t bare_inner(struct shadow *shadow, work_fn *work,
					uint64_t x)
{
	x = work(x);
	selfmon_hide(shadow); /* not a last call: region_inner() has none */
	return x;
}

static NEVER_INLINE uint64_t loop_twice(struct shadow *shadow, work_fn *work,
					uint64_t x)
{
	unsigned int i;

	for (i = 0; i < VISITS; i++) {
		x = work(x);
		x = bare_inner(shadow, work, x);
	}
	return x;
}

static NEVER_INLINE uint64_t region_inner(struct shadow *shadow, work_fn *work,
					  uint64_t x)
{
	struct selfmon_frame frame;

	selfmon_impl_enter(&shadow->inner, &frame);
	x = work(x);
	if (frame.open)
		selfmon_impl_leave(&frame);
	return x;
}

static NEVER_INLINE uint64_t loop_regions(struct shadow *shadow, work_fn *work,
					  uint64_t x)
{
	struct selfmon_frame frame;
	unsigned int i;

	for (i = 0; i < VISITS; i++) {
		selfmon_impl_enter(&shadow->outer, &frame);
		x = work(x);
		x = region_inner(shadow, work, x);
		if (frame.open)
			selfmon_impl_leave(&frame);
	}
	return x;
}

static uint64_t fenced_ticks(void)
{
	uint64_t ticks;

	selfmon_arch_fence();
	ticks = selfmon_clock_ticks();
	selfmon_arch_fence();
	return ticks;
}

static void shadow_run(struct shadow *shadow, loop_fn *loop)
{
	shadow->x = loop(shadow, shadow->work, shadow->x);
}

/* Of a batch. The same before, not timed: then its branches are predicted. */
static double ticks_of(struct shadow *shadow, loop_fn *loop)
{
	uint64_t start;

	shadow_run(shadow, loop);
	start = fenced_ticks();
	shadow_run(shadow, loop);
	return (double)(fenced_ticks() - start);
}

static int compare_rounds(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double round_median(double *value)
{
	qsort(value, ROUNDS, sizeof(value[0]), compare_rounds);
	return value[ROUNDS / 2];
}

/* What regions record beyond the work in them; ticks a visit. */
struct beyond {
	double inner, outer;
};

/* A round is short, so that all of it sees the machine in one state. */
static struct beyond measure_kind(struct shadow *shadow)
{
	double inner[ROUNDS], outer[ROUNDS];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		const double none = ticks_of(shadow, loop_empty);
		const double in = ticks_of(shadow, loop_once) - none;
		const double out = ticks_of(shadow, loop_twice) - none;
		uint64_t inner_sum, outer_sum;

		shadow_run(shadow, loop_regions);
		inner_sum = shadow->inner_stats->ticks.sum;
		outer_sum = shadow->outer_stats->ticks.sum;
		shadow_run(shadow, loop_regions);
		inner_sum = shadow->inner_stats->ticks.sum - inner_sum;
		outer_sum = shadow->outer_stats->ticks.sum - outer_sum;
		inner[i] = (double)inner_sum - in;
		outer[i] = (double)outer_sum - out;
	}
	return (struct beyond){ round_median(inner) / VISITS,
				round_median(outer) / VISITS };
}

/* The least and the most over the kinds of work. */
struct cost_range {
	double least, most;
};

static void range_add(struct cost_range *range, double value, bool first)
{
	if (first || value < range->least)
		range->least = value;
	if (first || value > range->most)
		range->most = value;
}

/*
 * Overhead is not subtracted where there is less than none. Nor more than that
 * of empty regions, one after the other, where nothing overlaps: what these
 * loops have beyond it are registers that their compiler saved.
 */
static double middle_of(const struct cost_range *range, double empty)
{
	const double middle = (range->least + range->most) / 2;

	if (middle > empty)
		return empty;
	return middle > 0 ? middle : 0;
}

/*
 * The report states half of it as noise: the whole distance between the kinds,
 * since a program's work may lie outside of theirs.
 */
static double spread_of(const struct cost_range *range)
{
	return 2 * (range->most - range->least);
}

/* The sites' first visits: then they have names, nodes, statistics. */
static bool shadow_prepare(struct shadow *shadow)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_node *outer, *inner = NULL;

	shadow->outer.name = "selfmon calibration, work and inner work";
	shadow->inner.name = "selfmon calibration, inner work";
	shadow->outer.file = shadow->inner.file = "";
	shadow->work = work_add;
	shadow_run(shadow, loop_regions);
	if (!shadow->outer.id || !shadow->inner.id)
		return false;
	outer = selfmon_tree_find(thread, thread->node, shadow->outer.id);
	if (outer)
		inner = selfmon_tree_find(thread, outer, shadow->inner.id);
	if (!inner)
		return false;
	shadow->outer_stats = outer->stats;
	shadow->inner_stats = inner->stats;
	return true;
}

/* Around unknown work: from nothing to what empty regions show. */
static void range_guess(struct cost_range *inner, struct cost_range *both,
			double empty, double empty_both)
{
	*inner = (struct cost_range){ 0, empty };
	*both = (struct cost_range){ 0, empty_both };
}

/*
 * One inner is the outer region's own; the rest is what a child costs it.
 * Returns false if there was no time for all kinds of work.
 */
static bool shadow_calibrate(struct shadow *shadow,
			     struct selfmon_calibration *calibration,
			     uint64_t until_ns)
{
	const double empty = calibration->inner.ticks;
	const double empty_both = empty + calibration->outer.ticks;
	struct cost_range inner = { 0, 0 }, both = { 0, 0 };
	bool whole = true;
	size_t k;

	for (k = 0; k < KINDS && whole; k++) {
		struct beyond beyond;

		shadow->work = kinds[k];
		beyond = measure_kind(shadow);
		range_add(&inner, beyond.inner, k == 0);
		range_add(&both, beyond.outer - beyond.inner, k == 0);
		whole = k + 1 == KINDS ||
			selfmon_kernel_thread_cpu_ns() < until_ns;
	}
	if (!whole)
		range_guess(&inner, &both, empty, empty_both);
	calibration->inner.ticks = middle_of(&inner, empty);
	calibration->inner.ticks_spread = spread_of(&inner);
	calibration->outer.ticks = middle_of(&both, empty_both) -
				   calibration->inner.ticks;
	if (calibration->outer.ticks < 0)
		calibration->outer.ticks = 0;
	calibration->outer.ticks_spread = spread_of(&both);
	return whole;
}

bool selfmon_shadow_measure(struct selfmon_calibration *calibration,
			    uint64_t until_ns)
{
	const double longest = LONGEST_NS * 1e-9 * (double)selfmon_clock()->hz;
	struct shadow shadow = { .x = 1 };

	calibration->outer.ticks_spread += calibration->inner.ticks_spread;
	if (calibration->inner.ticks > longest || !shadow_prepare(&shadow))
		return true;
	return shadow_calibrate(&shadow, calibration, until_ns);
}
