/* SPDX-License-Identifier: MIT */
/*
 * Measures the library's overhead per visit: visits empty regions, and for time
 * also regions around known work (shadow.c), with a separate thread state, which
 * reports do not include.
 */
#include "visit/overhead.h"

#include <string.h>

#include "clock/clock.h"
#include "open/bounds.h"
#include "platform/kernel.h"
#include "session/thread.h"
#include "session/thread_state.h"
#include "store/calibration.h"
#include "store/fiber.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/process.h"
#include "store/self.h"
#include "visit/overhead_samples.h"
#include "visit/overhead_visits.h"
#include "visit/shadow.h"

static struct selfmon_cost empty; /* outer cost of empty regions */
static uint32_t known_kinds; /* measured so far: bit k for kind k */
static uint64_t cut_at = UINT64_MAX; /* the last budget that was too small */
/* Allocated once and then reused. Protected by the report lock. */
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
				       &selfmon_calibrated.unknown);
}

/*
 * System calls take longer in a program than here, where their data stay in the
 * caches: up to 0.42 times longer was seen. So the noise is at least this share
 * of the overhead.
 */
#define CALLS_SHARE 0.45

static void widen_for_calls(void)
{
	struct selfmon_cost *const both = &selfmon_calibrated.outer;
	const double least = 2 * CALLS_SHARE *
			     (selfmon_calibrated.inner.ticks + both->ticks);

	if (selfmon_process()->calls && both->ticks_spread < least)
		both->ticks_spread = least;
}

static bool measure_usual(void)
{
	selfmon_calibrated.unknown = 0;
	if (!sample(SELFMON_OVERHEAD_APART, false, &selfmon_calibrated.inner,
		    &selfmon_calibrated.outer))
		return false;
	empty = selfmon_calibrated.outer;
	run->cut |= !selfmon_shadow_measure(&selfmon_calibrated, run->until_ns);
	widen_for_calls();
	return true;
}

/*
 * Measures the overhead that a visit of this kind adds to its parent, compared
 * with a visit that has none of the kinds in enum selfmon_kind.
 */
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
	struct selfmon_cost *const step = &selfmon_calibrated.kind[SELFMON_KIND_STEP];

	if (!measure_beyond(SELFMON_OVERHEAD_DEEP, step))
		return false;
	subtract_cost(step, &selfmon_calibrated.kind[SELFMON_KIND_SAME]);
	return true;
}

/*
 * Measures the search in the hash table: overwrites the child's slot in the
 * parent before each visit. Subtracts the cost of the store, measured with a
 * store to an unused address.
 */
static bool measure_found(void)
{
	struct selfmon_cost *const found =
		&selfmon_calibrated.kind[SELFMON_KIND_FOUND];
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

/*
 * Measures switches to an empty fiber and back. Uses only the overhead in the
 * parent's visit, which is suspended and resumed each time.
 */
static bool measure_switched(void)
{
	struct selfmon_fiber *const fiber = selfmon_fiber_make(0);
	bool whole;

	if (!fiber)
		return false;
	selfmon_overhead_sites.fiber = fiber;
	whole = measure_beyond(SELFMON_OVERHEAD_SWITCH,
			       &selfmon_calibrated.switched);
	selfmon_fiber_reuse(fiber);
	return whole;
}

static bool measure_skipped(void)
{
	struct selfmon_cost own;
	bool whole;

	run->thread->every = 2;
	whole = sample(SELFMON_OVERHEAD_APART, true, &own,
		       &selfmon_calibrated.skipped);
	run->thread->every = 1;
	return whole;
}

static bool run_make(struct selfmon_process *process)
{
	selfmon_process_lock(process);
	if (!run)
		run = selfmon_memory_kept(sizeof(*run));
	if (run && (!run->thread || !run->thread->top)) /* wiped by a fork */
		run->thread = selfmon_thread_make(process, false);
	selfmon_process_unlock(process);
	return run && run->thread;
}

/*
 * Prepares a state like the caller's: with the caller's counters, and with a
 * mode in which visits take the same paths of enter and leave.
 */
static void run_prepare(const struct selfmon_thread *own, uint64_t budget)
{
	struct selfmon_thread *const thread = run->thread;
	uint32_t i;

	/*
	 * Every visit is measured. With SELFMON_EVERY thread->random is set, so
	 * the cost of the random choice is included.
	 */
	thread->every = 1;
	thread->random = own->random;
	thread->cpu = own->cpu;
	thread->set = own->set;
	thread->max_per_tick = own->max_per_tick;
	thread->missing = own->missing;
	selfmon_bounds_copy(thread, own);
	memcpy(thread->column, own->column, sizeof(thread->column));
	selfmon_thread_set_mode(
		thread, selfmon_load_once(&own->mode) &
				(SELFMON_MODE_TIME | SELFMON_MODE_USER |
				 SELFMON_MODE_ANY | SELFMON_MODE_STACKS));
	run->until_ns = selfmon_kernel_thread_cpu_ns() + budget;
	run->cut = false;
	run->wanted = 1;
	for (i = 0; thread->set && i < thread->set->count; i++)
		run->wanted |= UINT32_C(2) << thread->column[i];
}

/*
 * Sets the spread of a kind's cost to 0. The spread of the cost of a visit
 * without a kind already describes the noise of these measurements.
 */
static void forget_spread(struct selfmon_cost *cost)
{
	cost->ticks_spread = 0;
	memset(cost->counter_spread, 0, sizeof(cost->counter_spread));
}

/*
 * Sets an unknown cost of a kind to 0, with a spread of twice the cost of a
 * visit without a kind.
 */
static void guess_cost(struct selfmon_cost *cost)
{
	uint32_t i;

	*cost = (struct selfmon_cost){
		.ticks_spread = 2 * (selfmon_calibrated.inner.ticks +
				     selfmon_calibrated.outer.ticks)
	};
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		cost->counter_spread[i] = 2 * (selfmon_calibrated.inner.counter[i] +
					       selfmon_calibrated.outer.counter[i]);
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
	struct selfmon_cost *const kind = selfmon_calibrated.kind;

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
					 &selfmon_calibrated.told),
			  SELFMON_OCCURRED_TOLD, &selfmon_calibrated.told);
	if (wanted & SELFMON_OCCURRED_SWITCHED)
		note_kind(measure_switched(), SELFMON_OCCURRED_SWITCHED,
			  &selfmon_calibrated.switched);
	if (wanted & SELFMON_OCCURRED_SKIPPED)
		note_kind(measure_skipped(), SELFMON_OCCURRED_SKIPPED,
			  &selfmon_calibrated.skipped);
}

static void measure(uint32_t wanted, bool again)
{
	if (!selfmon_calibrated.done || selfmon_calibrated.unknown || again)
		selfmon_calibrated.done = measure_usual() || selfmon_calibrated.done;
	if (!selfmon_calibrated.unknown)
		measure_kinds(wanted & ~known_kinds);
}

/*
 * CPU time that a report may spend on the measurement: 1 % of the time since
 * start_ticks, so that a short process is not delayed, but at least 1 ms.
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

/*
 * Signals are blocked during the measurement: a handler would visit regions
 * with the separate state, and if it jumped out, that state would stay
 * installed.
 */
const struct selfmon_calibration *
selfmon_calibrate(struct selfmon_process *process, uint32_t occurred)
{
	const uint64_t budget = budget_ns(process);
	/*
	 * A measurement that was cut short is repeated only if much more time
	 * is allowed now.
	 */
	const bool again = budget / 2 > cut_at;
	struct selfmon_thread *own;
	struct selfmon_signals signals;

	if (again)
		known_kinds = 0;
	if (selfmon_calibrated.done && !selfmon_calibrated.unknown && !again &&
	    !(occurred & ~known_kinds))
		return &selfmon_calibrated;
	own = selfmon_thread_attach();
	if (!own || !own->top || !run_make(process))
		return &selfmon_calibrated;
	run_prepare(own, budget);
	selfmon_kernel_block_signals(&signals);
	own = selfmon_thread_swap(run->thread);
	measure(occurred, again);
	selfmon_thread_swap(own);
	selfmon_kernel_restore_signals(&signals);
	run->thread->set = NULL;
	cut_at = run->cut ? budget : UINT64_MAX;
	return &selfmon_calibrated;
}
