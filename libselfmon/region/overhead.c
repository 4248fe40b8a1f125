/* SPDX-License-Identifier: MIT */
/*
 * The library's overhead per visit: visits of empty regions on a thread state
 * of its own, which no report shows.
 */
#include "region/overhead.h"

#include <string.h>

#include "clock/clock.h"
#include "platform/kernel.h"
#include "region/bounds.h"
#include "region/overhead_samples.h"
#include "region/shadow.h"

static struct selfmon_calibration calibration;
static struct selfmon_cost empty; /* calibration.outer, without work */
static uint32_t known_kinds; /* bits as of occurred */
static uint64_t cut_at = UINT64_MAX; /* the budget that was too little */
/* Kept: one is enough, under the report lock. */
static struct selfmon_overhead_samples *run;

static void subtract_cost(struct selfmon_cost *from,
			  const struct selfmon_cost *cost)
{
	size_t i;

	from->ticks -= cost->ticks;
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		from->counter[i] -= cost->counter[i];
}

static bool sample(enum selfmon_overhead_shape shape, bool skip,
		   struct selfmon_cost *own, struct selfmon_cost *beyond)
{
	return selfmon_overhead_sample(run, shape, skip, own, beyond,
				       &calibration.unknown);
}

static bool measure_usual(void)
{
	calibration.unknown = 0;
	if (!sample(SELFMON_OVERHEAD_APART, false, &calibration.inner,
		    &calibration.outer))
		return false;
	empty = calibration.outer;
	run->cut |= !selfmon_shadow_measure(&calibration, run->until_ns);
	return true;
}

/* What a parent sees of such a visit beyond what it sees of a usual one. */
static bool measure_beyond(enum selfmon_overhead_shape shape,
			   struct selfmon_cost *cost)
{
	struct selfmon_cost own;

	if (!sample(shape, false, &own, cost))
		return false;
	subtract_cost(cost, &empty);
	return true;
}

static bool measure_step(void)
{
	struct selfmon_cost *const step = &calibration.kind[SELFMON_KIND_STEP];

	if (!measure_beyond(SELFMON_OVERHEAD_DEEP, step))
		return false;
	subtract_cost(step, &calibration.kind[SELFMON_KIND_SAME]);
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
		selfmon_overhead_node(run->thread,
				      &selfmon_overhead_sites.parent,
				      run->thread->root);
	struct selfmon_node *unused;
	struct selfmon_cost beside;

	selfmon_overhead_sites.value = run->thread->root;
	selfmon_overhead_sites.slot = &unused;
	if (!measure_beyond(SELFMON_OVERHEAD_STORE, &beside))
		return false;
	selfmon_overhead_sites.slot = (struct selfmon_node **)(uintptr_t)
		&parent->child[selfmon_overhead_sites.child.id %
			       SELFMON_CHILDREN];
	if (!measure_beyond(SELFMON_OVERHEAD_STORE, found))
		return false;
	subtract_cost(found, &beside);
	return true;
}

static bool measure_skipped(void)
{
	struct selfmon_cost own;
	bool whole;

	run->thread->every = 2;
	whole = sample(SELFMON_OVERHEAD_APART, true, &own,
		       &calibration.skipped);
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
static void run_prepare(const struct selfmon_thread *own, uint64_t budget)
{
	struct selfmon_thread *const thread = run->thread;
	uint32_t i;

	thread->every = 1; /* all are measured, with the work of choosing */
	thread->random = own->random;
	thread->cpu = own->cpu;
	thread->set = own->set;
	thread->max_per_tick = own->max_per_tick;
	thread->missing = own->missing;
	selfmon_bounds_copy(thread, own);
	memcpy(thread->column, own->column, sizeof(thread->column));
	thread->mode = selfmon_load_once(&own->mode) &
		       (SELFMON_MODE_TIME | SELFMON_MODE_USER |
			SELFMON_MODE_ANY | SELFMON_MODE_STACKS);
	run->until_ns = selfmon_kernel_thread_cpu_ns() + budget;
	run->cut = false;
	run->wanted = 1;
	for (i = 0; thread->set && i < thread->set->count; i++)
		run->wanted |= UINT32_C(2) << thread->column[i];
}

/* The noise of a kind that is known is in that of a usual visit. */
static void forget_spread(struct selfmon_cost *cost)
{
	cost->ticks_spread = 0;
	memset(cost->counter_spread, 0, sizeof(cost->counter_spread));
}

/* What is not known is nothing, give or take all that a usual visit costs. */
static void guess_cost(struct selfmon_cost *cost)
{
	uint32_t i;

	*cost = (struct selfmon_cost){
		.ticks_spread = 2 * (calibration.inner.ticks +
				     calibration.outer.ticks)
	};
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		cost->counter_spread[i] = 2 * (calibration.inner.counter[i] +
					       calibration.outer.counter[i]);
}

static void note_kind(bool whole, uint32_t what, struct selfmon_cost *cost)
{
	if (!whole) {
		guess_cost(cost);
		return;
	}
	known_kinds |= what;
	if (!run->cut)
		forget_spread(cost);
}

#define BIT(kind) (UINT32_C(1) << (kind))

static void measure_kinds(uint32_t wanted)
{
	struct selfmon_cost *const kind = calibration.kind;

	if (wanted & BIT(SELFMON_KIND_STEP))
		wanted |= BIT(SELFMON_KIND_SAME) & ~known_kinds;
	if (wanted & BIT(SELFMON_KIND_SAME))
		note_kind(measure_beyond(SELFMON_OVERHEAD_SAME,
					 &kind[SELFMON_KIND_SAME]),
			  BIT(SELFMON_KIND_SAME), &kind[SELFMON_KIND_SAME]);
	if (wanted & BIT(SELFMON_KIND_STEP))
		note_kind(measure_step(), BIT(SELFMON_KIND_STEP),
			  &kind[SELFMON_KIND_STEP]);
	if (wanted & BIT(SELFMON_KIND_FOUND))
		note_kind(measure_found(), BIT(SELFMON_KIND_FOUND),
			  &kind[SELFMON_KIND_FOUND]);
	if (wanted & BIT(SELFMON_KIND_SPAN))
		note_kind(measure_beyond(SELFMON_OVERHEAD_SPAN,
					 &kind[SELFMON_KIND_SPAN]),
			  BIT(SELFMON_KIND_SPAN), &kind[SELFMON_KIND_SPAN]);
	if (wanted & SELFMON_OCCURRED_TOLD)
		note_kind(measure_beyond(SELFMON_OVERHEAD_TOLD,
					 &calibration.told),
			  SELFMON_OCCURRED_TOLD, &calibration.told);
	if (wanted & SELFMON_OCCURRED_SKIPPED)
		note_kind(measure_skipped(), SELFMON_OCCURRED_SKIPPED,
			  &calibration.skipped);
}

static void measure(uint32_t wanted, bool again)
{
	if (!calibration.done || calibration.unknown || again)
		calibration.done = measure_usual() || calibration.done;
	if (!calibration.unknown)
		measure_kinds(wanted & ~known_kinds);
}

/*
 * CPU time that a report may take for this: a hundredth of the time since the
 * first visit, so that a short process is not made longer by it.
 */
#define BUDGET_NS UINT64_C(1000000)
#define BUDGET_PART 100

static uint64_t budget_ns(const struct selfmon_process *process)
{
	const uint64_t lived = selfmon_clock_ns(
		selfmon_clock(), selfmon_clock_ticks() - process->start_ticks);
	const uint64_t part = lived / BUDGET_PART;

	return part > BUDGET_NS ? part : BUDGET_NS;
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
	const uint64_t budget = budget_ns(process);
	/* What was cut short is worth it only if much more time is allowed. */
	const bool again = budget / 2 > cut_at;
	struct selfmon_thread *own;
	struct selfmon_signals signals;

	if (again)
		known_kinds = 0;
	if (calibration.done && !calibration.unknown && !again &&
	    !(occurred & ~known_kinds))
		return &calibration;
	own = selfmon_thread_attach();
	if (!own || !own->top || !run_make(process))
		return &calibration;
	run_prepare(own, budget);
	selfmon_kernel_block_signals(&signals);
	own = selfmon_thread_swap(run->thread);
	measure(occurred, again);
	selfmon_thread_swap(own);
	selfmon_kernel_restore_signals(&signals);
	run->thread->set = NULL;
	cut_at = run->cut ? budget : UINT64_MAX;
	return &calibration;
}
