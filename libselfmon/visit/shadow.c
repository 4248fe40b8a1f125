/* SPDX-License-Identifier: MIT */
/*
 * Runs loops with known work, alternately with and without a region around the
 * work. The inner overhead is the time that the region records minus the time
 * of the loop without it. A second region around the first one also records the
 * first one's whole overhead: see shadow_calibrate().
 */
#include "visit/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "clock/clock.h"
#include "open/entry.h"
#include "platform/hide_var.h"
#include "platform/kernel.h"
#include "store/calibration.h"
#include "store/self.h"
#include "store/tree.h"
#include "visit/ends.h"
#include "visit/shadow_work.h"
#include "visit/visit.h"

/*
 * Number of visits in a batch. Only whole batches are timed, since timestamps
 * may advance in steps of 10 ns.
 */
#define VISITS 32
#define ROUNDS 5
#define LONGEST_NS 500

/* ---- loops --------------------------------------------------------------- */

/* The outer region does the work once, and the inner region does it again. */
struct shadow {
	struct selfmon_site outer, inner;
	const struct selfmon_stats *outer_stats, *inner_stats;
	selfmon_work_fn *work;
	uint64_t x; /* each loop's result, which the next one needs */
};

typedef uint64_t loop_fn(struct shadow *shadow, selfmon_work_fn *work,
			 uint64_t x);

static NEVER_INLINE uint64_t loop_empty(struct shadow *shadow,
					selfmon_work_fn *work, uint64_t x)
{
	unsigned int i;

	(void)shadow;
	(void)work;
	for (i = 0; i < VISITS; i++)
		SELFMON_HIDE_VAR_VOLATILE(x);
	return x;
}

static NEVER_INLINE uint64_t loop_once(struct shadow *shadow,
				       selfmon_work_fn *work, uint64_t x)
{
	unsigned int i;

	(void)shadow;
	for (i = 0; i < VISITS; i++)
		x = work(x);
	return x;
}

static NEVER_INLINE uint64_t bare_inner(struct shadow *shadow,
					selfmon_work_fn *work, uint64_t x)
{
	x = work(x);
	SELFMON_HIDE_VAR_VOLATILE(
		/* Prevents a tail call; region_inner() has none either. */
		shadow);
	return x;
}

static NEVER_INLINE uint64_t loop_twice(struct shadow *shadow,
					selfmon_work_fn *work, uint64_t x)
{
	unsigned int i;

	for (i = 0; i < VISITS; i++) {
		x = work(x);
		x = bare_inner(shadow, work, x);
	}
	return x;
}

static ALWAYS_INLINE uint64_t inner_visit(struct shadow *shadow,
					  selfmon_work_fn *work, uint64_t x,
					  bool inlined)
{
	struct selfmon_frame frame;

	selfmon_ends_enter(inlined, &shadow->inner, &frame);
	x = work(x);
	selfmon_ends_leave(inlined, &frame);
	return x;
}

static ALWAYS_INLINE uint64_t outer_visits(struct shadow *shadow,
					   selfmon_work_fn *work, uint64_t x,
					   bool inlined, loop_fn *inner)
{
	struct selfmon_frame frame;
	unsigned int i;

	for (i = 0; i < VISITS; i++) {
		selfmon_ends_enter(inlined, &shadow->outer, &frame);
		x = work(x);
		x = inner(shadow, work, x);
		selfmon_ends_leave(inlined, &frame);
	}
	return x;
}

static NEVER_INLINE uint64_t region_inner(struct shadow *shadow,
					  selfmon_work_fn *work, uint64_t x)
{
	return inner_visit(shadow, work, x, false);
}

static NEVER_INLINE uint64_t region_inner_inlined(struct shadow *shadow,
						  selfmon_work_fn *work,
						  uint64_t x)
{
	return inner_visit(shadow, work, x, true);
}

static NEVER_INLINE uint64_t loop_called(struct shadow *shadow,
					 selfmon_work_fn *work, uint64_t x)
{
	return outer_visits(shadow, work, x, false, region_inner);
}

static NEVER_INLINE uint64_t loop_inlined(struct shadow *shadow,
					  selfmon_work_fn *work, uint64_t x)
{
	return outer_visits(shadow, work, x, true, region_inner_inlined);
}

static uint64_t loop_regions(struct shadow *shadow, selfmon_work_fn *work,
			     uint64_t x)
{
	return selfmon_visits_are_inlined() ? loop_inlined(shadow, work, x)
					    : loop_called(shadow, work, x);
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

/*
 * Returns the ticks of a batch. Runs the batch once before, to train the branch
 * predictor.
 */
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

/*
 * Ticks per visit that the regions record in addition to the work inside them.
 */
struct beyond {
	double inner, outer;
};

/*
 * Measures one kind of work. Rounds are short, so that the state of the machine
 * (frequency, load) rarely changes during a round.
 */
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

/* The lowest and the highest overhead over all kinds of work. */
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
 * Returns the middle of the range, at least 0 and at most the overhead of empty
 * regions, whose latency does not overlap with work. A higher middle is an
 * artefact of registers that the compiler saves in these loops.
 */
static double middle_of(const struct cost_range *range, double empty)
{
	const double middle = (range->least + range->most) / 2;

	if (middle > empty)
		return empty;
	return middle > 0 ? middle : 0;
}

/*
 * Returns twice the distance between the lowest and the highest overhead, since
 * the overhead around a program's work may be outside of this range. The report
 * states half of the spread as noise.
 */
static double spread_of(const struct cost_range *range)
{
	return 2 * (range->most - range->least);
}

/*
 * Makes the first visits of the sites, which create names, nodes and
 * statistics.
 */
static bool shadow_prepare(struct shadow *shadow)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_node *outer, *inner = NULL;

	shadow->outer.name = "selfmon calibration, work and inner work";
	shadow->inner.name = "selfmon calibration, inner work";
	shadow->outer.file = shadow->inner.file = "";
	shadow->work = selfmon_shadow_work[0];
	shadow_run(shadow, loop_regions);
	if (!shadow->outer.id || !shadow->inner.id)
		return false;
	outer = selfmon_tree_find(thread, selfmon_entry_place(thread),
				  shadow->outer.id);
	if (outer)
		inner = selfmon_tree_find(thread, outer, shadow->inner.id);
	if (!inner)
		return false;
	shadow->outer_stats = outer->stats;
	shadow->inner_stats = inner->stats;
	return true;
}

/*
 * Sets the ranges of the overhead if it was not measured with every kind of
 * work: from 0 to the overhead of empty regions.
 */
static void range_guess(struct cost_range *inner, struct cost_range *both,
			double empty, double empty_both)
{
	*inner = (struct cost_range){ 0, empty };
	*both = (struct cost_range){ 0, empty_both };
}

/*
 * Computes the overhead. The outer region records, in addition to the time of
 * the loop without regions, its own inner overhead and the child's whole
 * overhead (inner and outer). Returns false if there was not enough time for
 * all kinds of work.
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

	for (k = 0; k < SELFMON_SHADOW_KINDS && whole; k++) {
		struct beyond beyond;

		shadow->work = selfmon_shadow_work[k];
		beyond = measure_kind(shadow);
		range_add(&inner, beyond.inner, k == 0);
		range_add(&both, beyond.outer - beyond.inner, k == 0);
		whole = k + 1 == SELFMON_SHADOW_KINDS ||
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
