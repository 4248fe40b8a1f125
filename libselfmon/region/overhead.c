/* SPDX-License-Identifier: MIT */
/*
 * The library's overhead per visit: visits of empty regions on a thread state
 * of its own, which no report shows.
 *
 * A sample is two visits of a parent, with few and with many visits of a child
 * in them. Only values that were counted are samples: an event that was off
 * the PMU meanwhile has none, and its group may be back after a rotation.
 */
#include "region/overhead.h"

#include <stdlib.h>
#include <string.h>

#include "platform/kernel.h"
#include "region/overhead_visits.h"

#define SAMPLES 101
#define SAMPLES_MIN 21
#define VALUES (1 + SELFMON_MAX_COUNTERS) /* ticks, then the columns */
#define MORE (SELFMON_OVERHEAD_MANY - SELFMON_OVERHEAD_FEW)
/*
 * CPU time of one measurement: for all samples, and until each value has the
 * least number of them. Groups of events take turns of some milliseconds.
 */
#define ENOUGH_NS UINT64_C(100000)
#define PATIENCE_NS UINT64_C(60000000)

typedef double samples[SAMPLES];

struct run {
	struct selfmon_thread *thread;
	uint32_t wanted; /* bits: values that are counted */
	uint32_t count[VALUES];
	samples own[VALUES];    /* a child's, per visit */
	samples beyond[VALUES]; /* its parent's less that, per child's visit */
};

/* What the statistics of a node say. */
struct seen {
	uint64_t sum[VALUES], missed[VALUES];
	uint64_t upset; /* visits that were not like others */
};

static struct selfmon_calibration calibration;
static uint32_t known; /* bits as of occurred */
static struct run *run; /* kept: one is enough, under the report lock */

static const struct selfmon_node *node_of(const struct selfmon_site *site,
					  const struct selfmon_site *parent)
{
	const uint32_t above = parent ? parent->id : 0;
	const struct selfmon_node *node = run->thread->newest;

	while (node && (!node->parent || node->region != site->id ||
			node->parent->region != above))
		node = node->next;
	return site->id ? node : NULL;
}

static void look(const struct selfmon_stats *stats, struct seen *seen)
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
	/* Usual where some members are read by read(2) anyway. */
	if (run->thread->mode & SELFMON_MODE_USER)
		seen->upset += stats->rare[SELFMON_RARE_SLOW];
}

/* What one visit of the parent came to, and the visits of the child in it. */
struct visit {
	uint64_t parent[VALUES], child[VALUES];
	uint32_t counted; /* bits: values that both have */
};

static void visit_once(enum selfmon_overhead_shape shape, bool many,
		       const struct selfmon_stats *parent,
		       const struct selfmon_stats *child, struct visit *visit)
{
	struct seen before[2], after[2];
	uint32_t i;

	look(parent, &before[0]);
	look(child, &before[1]);
	selfmon_overhead_visit(shape, many);
	look(parent, &after[0]);
	look(child, &after[1]);
	visit->counted = 0;
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

static void add_sample(const struct visit *few, const struct visit *many)
{
	uint32_t i;

	for (i = 0; i < VALUES; i++) {
		const double all = (double)many->parent[i] -
				   (double)few->parent[i];
		const double own = (double)many->child[i] -
				   (double)few->child[i];
		const uint32_t k = run->count[i];

		if (k == SAMPLES || !((few->counted & many->counted) >> i & 1))
			continue;
		run->own[i][k] = own / MORE;
		run->beyond[i][k] = (all - own) / MORE;
		run->count[i]++;
	}
}

static uint32_t fewest(void)
{
	uint32_t least = SAMPLES, i;

	for (i = 0; i < VALUES; i++)
		if (run->wanted >> i & 1 && run->count[i] < least)
			least = run->count[i];
	return least;
}

static const struct selfmon_site *
parent_of_parent(enum selfmon_overhead_shape shape)
{
	return shape == SELFMON_OVERHEAD_DEEP ? &selfmon_overhead_sites.around : NULL;
}

static void skip_children(const struct selfmon_node *parent,
			  const struct selfmon_node *child)
{
	((struct selfmon_node *)(uintptr_t)parent)->countdown = 0;
	((struct selfmon_node *)(uintptr_t)child)->countdown = UINT32_MAX;
}

/*
 * Each value has its own samples, as events of several groups are never on the
 * PMU all at once.
 */
static void take_samples(enum selfmon_overhead_shape shape, bool skip)
{
	const struct selfmon_node *parent, *child;
	const uint64_t begin = selfmon_kernel_thread_cpu_ns();
	struct visit few, many;
	uint64_t spent;
	uint32_t least;

	memset(run->count, 0, sizeof(run->count));
	selfmon_overhead_visit(shape, true); /* makes the nodes */
	parent = node_of(&selfmon_overhead_sites.parent, parent_of_parent(shape));
	child = node_of(&selfmon_overhead_sites.child, &selfmon_overhead_sites.parent);
	if (!parent || !child || child->parent != parent)
		return;
	do {
		if (skip)
			skip_children(parent, child);
		visit_once(shape, false, parent->stats, child->stats, &few);
		if (skip)
			skip_children(parent, child);
		visit_once(shape, true, parent->stats, child->stats, &many);
		add_sample(&few, &many);
		least = fewest();
		spent = selfmon_kernel_thread_cpu_ns() - begin;
	} while (least < SAMPLES && spent < PATIENCE_NS &&
		 (least < SAMPLES_MIN || spent < ENOUGH_NS));
}

static int compare_samples(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts them. Spread: what eight of ten lie within. */
static double median(double *v, uint32_t n, double *spread)
{
	qsort(v, n, sizeof(v[0]), compare_samples);
	*spread = v[n - 1 - n / 10] - v[n / 10];
	return v[n / 2];
}

/* False: not all wanted values have enough samples. */
static bool cost_from(samples *of, struct selfmon_cost *cost)
{
	const uint32_t *const count = run->count;
	uint32_t i;

	memset(cost, 0, sizeof(*cost));
	if (count[0] < SAMPLES_MIN)
		return false;
	cost->ticks = median(of[0], count[0], &cost->ticks_spread);
	for (i = 1; i < VALUES; i++) {
		if (count[i] >= SAMPLES_MIN)
			cost->counter[i - 1] = median(
				of[i], count[i], &cost->counter_spread[i - 1]);
		else if (run->wanted >> i & 1)
			calibration.unknown |= UINT32_C(1) << (i - 1);
	}
	return fewest() >= SAMPLES_MIN;
}

static void subtract(struct selfmon_cost *from, const struct selfmon_cost *cost)
{
	size_t i;

	from->ticks -= cost->ticks;
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		from->counter[i] -= cost->counter[i];
}

static bool measure_usual(void)
{
	calibration.unknown = 0;
	take_samples(SELFMON_OVERHEAD_APART, false);
	return cost_from(run->own, &calibration.inner) &&
	       cost_from(run->beyond, &calibration.outer);
}

/* What a parent sees of such a visit beyond what it sees of a usual one. */
static bool measure_beyond(enum selfmon_overhead_shape shape,
			   struct selfmon_cost *cost)
{
	take_samples(shape, false);
	if (!cost_from(run->beyond, cost))
		return false;
	subtract(cost, &calibration.outer);
	return true;
}

static bool measure_step(void)
{
	struct selfmon_cost *const step = &calibration.kind[SELFMON_KIND_STEP];

	if (!measure_beyond(SELFMON_OVERHEAD_DEEP, step))
		return false;
	subtract(step, &calibration.kind[SELFMON_KIND_SAME]);
	return true;
}

/*
 * Without its slot in the parent the child is found in the hash table. Beside
 * it the same with a store to where nobody looks.
 */
static bool measure_found(void)
{
	struct selfmon_cost *const found =
		&calibration.kind[SELFMON_KIND_FOUND];
	const struct selfmon_node *const parent =
		node_of(&selfmon_overhead_sites.parent, NULL);
	struct selfmon_node *unused;
	struct selfmon_cost beside;

	selfmon_overhead_sites.value = run->thread->root;
	selfmon_overhead_sites.slot = &unused;
	if (!measure_beyond(SELFMON_OVERHEAD_STORE, &beside))
		return false;
	selfmon_overhead_sites.slot = (struct selfmon_node **)(uintptr_t)
		&parent->child[selfmon_overhead_sites.child.id % SELFMON_CHILDREN];
	if (!measure_beyond(SELFMON_OVERHEAD_STORE, found))
		return false;
	subtract(found, &beside);
	return true;
}

static bool measure_skipped(void)
{
	bool whole;

	run->thread->every = 2;
	take_samples(SELFMON_OVERHEAD_APART, true);
	whole = cost_from(run->beyond, &calibration.skipped);
	run->thread->every = 1;
	return whole;
}

static bool run_make(struct selfmon_process *process)
{
	selfmon_process_lock(process);
	if (!run)
		run = selfmon_memory_kept(sizeof(*run));
	if (run && (!run->thread || !run->thread->top)) /* wiped by a fork */
		run->thread = selfmon_thread_make(false);
	selfmon_process_unlock(process);
	return run && run->thread;
}

/*
 * The state is like the caller's own: it reads the caller's own counters, and
 * its visits take the same way through enter and leave.
 */
static void run_prepare(const struct selfmon_thread *own)
{
	struct selfmon_thread *const thread = run->thread;
	uint32_t i;

	thread->every = 1; /* all are measured, with the work of choosing */
	thread->random = own->random;
	thread->cpu = own->cpu;
	thread->set = own->set;
	thread->max_per_tick = own->max_per_tick;
	thread->missing = own->missing;
	thread->stack_low = own->stack_low;
	thread->stack_high = own->stack_high;
	thread->open->mark = own->stack_high ? own->stack_high
					     : SELFMON_MARK_HIGHEST;
	memcpy(thread->column, own->column, sizeof(thread->column));
	thread->mode = selfmon_load_once(&own->mode) &
		       (SELFMON_MODE_TIME | SELFMON_MODE_USER |
			SELFMON_MODE_ANY | SELFMON_MODE_STACKS);
	run->wanted = 1;
	for (i = 0; thread->set && i < thread->set->count; i++)
		run->wanted |= UINT32_C(2) << thread->column[i];
}

static void note(bool whole, uint32_t what)
{
	if (whole)
		known |= what;
}

#define BIT(kind) (UINT32_C(1) << (kind))

static void measure_kinds(uint32_t wanted)
{
	struct selfmon_cost *const kind = calibration.kind;

	if (wanted & BIT(SELFMON_KIND_STEP))
		wanted |= BIT(SELFMON_KIND_SAME) & ~known;
	if (wanted & BIT(SELFMON_KIND_SAME))
		note(measure_beyond(SELFMON_OVERHEAD_SAME,
				    &kind[SELFMON_KIND_SAME]),
		     BIT(SELFMON_KIND_SAME));
	if (wanted & BIT(SELFMON_KIND_STEP))
		note(measure_step(), BIT(SELFMON_KIND_STEP));
	if (wanted & BIT(SELFMON_KIND_FOUND))
		note(measure_found(), BIT(SELFMON_KIND_FOUND));
	if (wanted & BIT(SELFMON_KIND_SPAN))
		note(measure_beyond(SELFMON_OVERHEAD_SPAN,
				    &kind[SELFMON_KIND_SPAN]),
		     BIT(SELFMON_KIND_SPAN));
	if (wanted & SELFMON_OCCURRED_TOLD)
		note(measure_beyond(SELFMON_OVERHEAD_TOLD, &calibration.told),
		     SELFMON_OCCURRED_TOLD);
	if (wanted & SELFMON_OCCURRED_SKIPPED)
		note(measure_skipped(), SELFMON_OCCURRED_SKIPPED);
}

static void measure(uint32_t wanted)
{
	if (!calibration.done || calibration.unknown)
		calibration.done = measure_usual() || calibration.done;
	if (!calibration.unknown)
		measure_kinds(wanted & ~known);
}

const struct selfmon_calibration *selfmon_calibration(void)
{
	return &calibration;
}

/*
 * Signals wait meanwhile: a handler's regions would be visited on the state
 * that nobody sees, and one that jumped out would leave that state behind.
 */
const struct selfmon_calibration *
selfmon_calibrate(struct selfmon_process *process, uint32_t occurred)
{
	struct selfmon_thread *own;
	struct selfmon_signals signals;

	if (calibration.done && !calibration.unknown && !(occurred & ~known))
		return &calibration;
	own = selfmon_thread_attach();
	if (!own || !own->top || !run_make(process))
		return &calibration;
	run_prepare(own);
	selfmon_kernel_block_signals(&signals);
	own = selfmon_thread_swap(run->thread);
	measure(occurred);
	selfmon_thread_swap(own);
	selfmon_kernel_restore_signals(&signals);
	run->thread->set = NULL;
	return &calibration;
}
