/* SPDX-License-Identifier: MIT */
/*
 * What the library itself costs, measured with the very functions that cost
 * it: empty regions on a state of its own, out of sight of the report.
 *
 * inner: what an empty region shows of itself. outer: what its parent sees
 * beyond that. skipped: what the parent sees of a visit that is only counted.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/kernel.h"
#include "region/process.h"

#define SAMPLES 201
#define VISITS 16            /* in one outer sample */
#define SKIP_ALL UINT32_MAX

#define VALUES (1 + SELFMON_MAX_COUNTERS) /* ticks, then the columns */

struct sample {
	double value[SAMPLES];
};

struct run {
	struct selfmon_thread *thread;
	struct selfmon_site parent, child;
	struct sample sample[VALUES];
};

static struct selfmon_calibration calibration;
static struct run *run; /* kept: one is enough, under the report lock */

static uint64_t sum_of(const struct selfmon_node *node, uint32_t i)
{
	if (!node)
		return 0;
	return i ? node->stats->counter[i - 1].sum : node->stats->ticks.sum;
}

/* The newest node is the one that was made last: the child, or its parent. */
static const struct selfmon_node *node_of(const struct selfmon_site *site)
{
	const struct selfmon_node *node = run->thread->newest;

	while (node && node->region != site->id)
		node = node->next;
	return site->id ? node : NULL;
}

static __attribute__((noinline)) void visit_children(unsigned int visits)
{
	struct selfmon_frame frame;

	while (visits-- > 0) {
		selfmon_impl_enter(&run->child, &frame);
		if (frame.open)
			selfmon_impl_leave(&frame);
	}
}

static __attribute__((noinline)) void visit_parent(unsigned int visits)
{
	struct selfmon_frame frame;

	selfmon_impl_enter(&run->parent, &frame);
	visit_children(visits);
	if (frame.open)
		selfmon_impl_leave(&frame);
}

static int compare_costs(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void median(struct sample *sample, double *middle, double *spread)
{
	double *const v = sample->value;

	qsort(v, SAMPLES, sizeof(v[0]), compare_costs);
	*middle = v[SAMPLES / 2] > 0 ? v[SAMPLES / 2] : 0;
	*spread = v[SAMPLES - 1 - SAMPLES / 10] - v[SAMPLES / 10];
}

static void cost_from_samples(struct selfmon_cost *cost)
{
	uint32_t i;

	median(&run->sample[0], &cost->ticks, &cost->ticks_spread);
	for (i = 1; i < VALUES; i++)
		median(&run->sample[i], &cost->counter[i - 1],
		       &cost->counter_spread[i - 1]);
}

/* Samples of one visit's own values: an empty region. */
static void measure_inner(void)
{
	uint64_t before;
	uint32_t i, k;

	for (k = 0; k < SAMPLES; k++) {
		const struct selfmon_node *const child = node_of(&run->child);
		uint64_t sums[VALUES];

		for (i = 0; i < VALUES; i++)
			sums[i] = sum_of(child, i);
		visit_parent(1);
		for (i = 0; i < VALUES; i++) {
			before = sums[i];
			run->sample[i].value[k] =
				(double)(sum_of(node_of(&run->child), i) -
					 before);
		}
	}
	cost_from_samples(&calibration.inner);
}

static double inner_of(uint32_t i)
{
	return i ? calibration.inner.counter[i - 1] : calibration.inner.ticks;
}

/* Samples of what a parent sees of a child beyond the child's own values. */
static void measure_outer(struct selfmon_cost *cost)
{
	uint32_t i, k;

	for (k = 0; k < SAMPLES; k++) {
		uint64_t parent[VALUES], child[VALUES];

		for (i = 0; i < VALUES; i++) {
			parent[i] = sum_of(node_of(&run->parent), i);
			child[i] = sum_of(node_of(&run->child), i);
		}
		visit_parent(VISITS);
		for (i = 0; i < VALUES; i++) {
			const uint64_t all =
				sum_of(node_of(&run->parent), i) - parent[i];
			const uint64_t own =
				sum_of(node_of(&run->child), i) - child[i];

			run->sample[i].value[k] =
				((double)all - (double)own - inner_of(i)) /
				VISITS;
		}
	}
	cost_from_samples(cost);
}

/* Children are skipped from now on, their parent is not. */
static void skip_children(void)
{
	struct selfmon_node *node;

	run->thread->every = 2;
	run->thread->mode = SELFMON_MODE_ANY;
	for (node = run->thread->newest; node; node = node->next)
		node->countdown = node->region == run->child.id ? SKIP_ALL : 0;
}

static void measure_skipped(void)
{
	uint32_t i, k;

	skip_children();
	for (k = 0; k < SAMPLES; k++) {
		uint64_t parent[VALUES];

		skip_children();
		for (i = 0; i < VALUES; i++)
			parent[i] = sum_of(node_of(&run->parent), i);
		visit_parent(VISITS);
		for (i = 0; i < VALUES; i++)
			run->sample[i].value[k] =
				((double)(sum_of(node_of(&run->parent), i) -
					  parent[i]) -
				 inner_of(i)) /
				VISITS;
	}
	cost_from_samples(&calibration.skipped);
	run->thread->every = 1;
}

static bool run_make(struct selfmon_process *process)
{
	selfmon_process_lock(process);
	if (!run)
		run = selfmon_memory_kept(sizeof(*run));
	if (run)
		run->thread = selfmon_thread_make(false);
	selfmon_process_unlock(process);
	return run && run->thread;
}

/* The state is like the caller's own, and reads the caller's own counters. */
static void run_prepare(const struct selfmon_thread *own)
{
	struct selfmon_thread *const thread = run->thread;

	thread->every = 1;
	thread->cpu = own->cpu;
	thread->set = own->set;
	thread->max_per_tick = own->max_per_tick;
	thread->missing = own->missing;
	memcpy(thread->column, own->column, sizeof(thread->column));
	thread->mode = selfmon_thread_mode(thread);
	run->parent.name = "selfmon calibration, outer";
	run->child.name = "selfmon calibration, inner";
	run->parent.file = run->child.file = "";
}

static void run_all(void)
{
	visit_parent(VISITS); /* names, nodes, caches */
	measure_inner();
	measure_outer(&calibration.outer);
	if (selfmon_config()->every > 1)
		measure_skipped();
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
selfmon_calibrate(struct selfmon_process *process)
{
	struct selfmon_thread *own;
	struct selfmon_signals signals;

	if (calibration.done)
		return &calibration;
	own = selfmon_thread_attach();
	if (!own || !own->top || !run_make(process))
		return &calibration;
	run_prepare(own);
	selfmon_kernel_block_signals(&signals);
	own = selfmon_thread_swap(run->thread);
	run_all();
	selfmon_thread_swap(own);
	selfmon_kernel_restore_signals(&signals);
	run->thread->set = NULL;
	calibration.done = true;
	return &calibration;
}
