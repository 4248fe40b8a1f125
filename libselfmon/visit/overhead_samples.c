/* SPDX-License-Identifier: MIT */
/*
 * Measures overhead by samples. For one sample a parent is visited twice: once
 * with few visits of a child inside it, once with many. An event whose group
 * was off the PMU gives no sample; the group may be on the PMU after a
 * rotation.
 */
#include "visit/overhead_samples.h"

#include <stdlib.h>
#include <string.h>

#include "platform/kernel.h"
#include "store/calibration.h"
#include "store/self.h"
#include "visit/overhead_visits.h"

#define SAMPLES SELFMON_OVERHEAD_SAMPLES
#define SAMPLES_MIN 21
#define SAMPLES_LEAST 5 /* enough if the time is over */
#define VALUES SELFMON_OVERHEAD_VALUES
#define MORE (SELFMON_OVERHEAD_MANY - SELFMON_OVERHEAD_FEW)
/*
 * Limits of the CPU time of one measurement: 100 us if each wanted value has
 * SAMPLES_MIN samples by then, else 60 ms. The measurement ends earlier if each
 * wanted value has SAMPLES samples, or if the budget is spent. If the group of
 * a value is off the PMU, the measurement waits for a rotation, which happens
 * every few milliseconds.
 */
#define ENOUGH_NS UINT64_C(100000)
#define PATIENCE_NS UINT64_C(60000000)

struct seen {
	uint64_t sum[VALUES], missed[VALUES];
	uint64_t upset; /* grows with each visit that is not typical */
};

const struct selfmon_node *
selfmon_overhead_node(const struct selfmon_thread *thread,
		      const struct selfmon_site *site,
		      const struct selfmon_node *parent)
{
	const struct selfmon_node *node = parent ? thread->root->next : NULL;

	while (node && (node->region != site->id || node->parent != parent))
		node = node->next;
	return node;
}

static void look_at(const struct selfmon_thread *thread,
		 const struct selfmon_stats *stats, struct seen *seen)
{
	uint32_t i;

	seen->sum[0] = stats->ticks.sum;
	seen->missed[0] = 0;
	for (i = 1; i < VALUES; i++) {
		seen->sum[i] = stats->counter[i - 1].sum;
		seen->missed[i] = stats->left_out[i - 1];
	}
	seen->upset = stats->rare[SELFMON_RARE_DISTURBED] +
		      stats->rare[SELFMON_RARE_MOVED] +
		      stats->rare[SELFMON_RARE_REPAIRED] +
		      stats->rare[SELFMON_RARE_IMPOSSIBLE] +
		      stats->rare[SELFMON_RARE_LOST] + stats->scaled_off_ns;
	/*
	 * Reads by read(2) are untypical only if all events should be read in
	 * user space.
	 */
	if (thread->mode & SELFMON_MODE_USER)
		seen->upset += stats->rare[SELFMON_RARE_SLOW];
}

/*
 * The values of one visit of the parent, and the sums over the child's visits
 * inside it.
 */
struct visit {
	uint64_t parent[VALUES], child[VALUES];
	uint32_t counted; /* bit i: both have value i */
};

static void visit_once(const struct selfmon_thread *thread,
		       enum selfmon_overhead_shape shape, bool many,
		       const struct selfmon_stats *parent,
		       const struct selfmon_stats *child, struct visit *visit)
{
	struct seen before[2], after[2];
	uint32_t i;

	look_at(thread, parent, &before[0]);
	look_at(thread, child, &before[1]);
	selfmon_overhead_visit(shape, many);
	look_at(thread, parent, &after[0]);
	look_at(thread, child, &after[1]);
	*visit = (struct visit){ .counted = 0 };
	if (before[0].upset != after[0].upset ||
	    before[1].upset != after[1].upset)
		return;
	for (i = 0; i < VALUES; i++) {
		visit->parent[i] = after[0].sum[i] - before[0].sum[i];
		visit->child[i] = after[1].sum[i] - before[1].sum[i];
		if (before[0].missed[i] == after[0].missed[i] &&
		    before[1].missed[i] == after[1].missed[i])
			visit->counted |= UINT32_C(1) << i;
	}
}

static void add_sample(struct selfmon_overhead_samples *samples,
		       const struct visit *few, const struct visit *many)
{
	uint32_t i;

	for (i = 0; i < VALUES; i++) {
		const double all = (double)many->parent[i] -
				   (double)few->parent[i];
		const double own = (double)many->child[i] -
				   (double)few->child[i];
		const uint32_t k = samples->count[i];

		if (k == SAMPLES || !((few->counted & many->counted) >> i & 1))
			continue;
		samples->own[i][k] = own / MORE;
		samples->beyond[i][k] = (all - own) / MORE;
		samples->count[i]++;
	}
}

static uint32_t fewest(const struct selfmon_overhead_samples *samples)
{
	uint32_t least = SAMPLES, i;

	for (i = 0; i < VALUES; i++)
		if (samples->wanted >> i & 1 && samples->count[i] < least)
			least = samples->count[i];
	return least;
}

static void skip_children(const struct selfmon_node *parent,
			  const struct selfmon_node *child)
{
	((struct selfmon_node *)(uintptr_t)parent)->countdown = 0;
	((struct selfmon_node *)(uintptr_t)child)->countdown = UINT32_MAX;
}

/*
 * Each value has its own number of samples, because events of several groups
 * are never all on the PMU at the same time.
 */
static void take_samples(struct selfmon_overhead_samples *samples,
			 enum selfmon_overhead_shape shape, bool skip)
{
	const struct selfmon_overhead_sites *const sites =
		&selfmon_overhead_sites;
	const struct selfmon_thread *const thread = samples->thread;
	const struct selfmon_node *above = thread->root, *parent, *child;
	const uint64_t begin = selfmon_kernel_thread_cpu_ns();
	struct visit few, many;
	uint64_t now;
	uint32_t least;

	memset(samples->count, 0, sizeof(samples->count));
	if (begin < samples->until_ns)
		selfmon_overhead_visit(shape, true); /* makes the nodes */
	now = selfmon_kernel_thread_cpu_ns();
	if (now + (SAMPLES_LEAST - 1) * (now - begin) >= samples->until_ns) {
		samples->cut = true;
		return;
	}
	if (shape == SELFMON_OVERHEAD_DEEP)
		above = selfmon_overhead_node(thread, &sites->around, above);
	parent = selfmon_overhead_node(thread, &sites->parent, above);
	child = selfmon_overhead_node(thread, &sites->child, parent);
	if (!child)
		return;
	do {
		if (skip)
			skip_children(parent, child);
		visit_once(thread, shape, false, parent->stats, child->stats,
			   &few);
		if (skip)
			skip_children(parent, child);
		visit_once(thread, shape, true, parent->stats, child->stats,
			   &many);
		add_sample(samples, &few, &many);
		least = fewest(samples);
		now = selfmon_kernel_thread_cpu_ns();
	} while (least < SAMPLES && now < samples->until_ns &&
		 now - begin < PATIENCE_NS &&
		 (least < SAMPLES_MIN || now - begin < ENOUGH_NS));
	samples->cut |= least < SAMPLES_MIN && now >= samples->until_ns;
}

static int compare_samples(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Sorts the values and returns their median. *spread is the range of the middle
 * 80 %, or, if there are few values, twice the whole range.
 */
static double median(double *v, uint32_t n, double *spread)
{
	qsort(v, n, sizeof(v[0]), compare_samples);
	*spread = n < SAMPLES_MIN ? 2 * (v[n - 1] - v[0])
				  : v[n - 1 - n / 10] - v[n / 10];
	return v[n / 2];
}

/*
 * Sets the cost to the medians. Returns a bit for each wanted column that has
 * too few samples.
 */
static uint32_t cost_from(struct selfmon_overhead_samples *samples,
			  double (*of)[SAMPLES], struct selfmon_cost *cost)
{
	const uint32_t *const count = samples->count;
	uint32_t i, unknown = 0;

	memset(cost, 0, sizeof(*cost));
	if (count[0] >= SAMPLES_LEAST)
		cost->ticks = median(of[0], count[0], &cost->ticks_spread);
	for (i = 1; i < VALUES; i++) {
		if (count[i] >= SAMPLES_LEAST)
			cost->counter[i - 1] = median(
				of[i], count[i], &cost->counter_spread[i - 1]);
		else if (samples->wanted >> i & 1)
			unknown |= UINT32_C(1) << (i - 1);
	}
	return unknown;
}

bool selfmon_overhead_sample(struct selfmon_overhead_samples *samples,
			     enum selfmon_overhead_shape shape, bool skip,
			     struct selfmon_cost *own,
			     struct selfmon_cost *beyond, uint32_t *unknown)
{
	take_samples(samples, shape, skip);
	*unknown |= cost_from(samples, samples->own, own);
	cost_from(samples, samples->beyond, beyond);
	return fewest(samples) >= SAMPLES_LEAST;
}
