/* SPDX-License-Identifier: MIT */
/*
 * The general path of a switch: saves and restores any number of visits in any
 * mode, even if the fiber is resumed by another thread.
 */
#include "visit/fiber_visits.h"

#include "clock/clock.h"
#include "counters/snapshot.h"
#include "open/unwind.h"
#include "session/thread_ring.h"
#include "session/thread_state.h"
#include "store/sample.h"
#include "store/stats.h"
#include "store/tree.h"
#include "visit/fiber_counts.h"
#include "visit/fiber_stack.h"
#include "visit/fiber_units.h"
#include "visit/unmeasured.h"

static ALWAYS_INLINE uint64_t ticks_now(const struct selfmon_thread *thread)
{
	return selfmon_likely(selfmon_load_once(&thread->mode) &
			      SELFMON_MODE_TIME)
		       ? selfmon_arch_timestamp()
		       : selfmon_clock_ticks();
}

void selfmon_fiber_read_end(const struct selfmon_thread *thread,
			    struct selfmon_snapshot *now)
{
	if (selfmon_likely(!thread->set)) {
		now->ticks = ticks_now(thread);
		now->cpu = selfmon_load_once(thread->cpu);
		return;
	}
	now->moved = 0;
	selfmon_snapshot_take(thread->set, now, true);
}

static ALWAYS_INLINE void read_begin(const struct selfmon_thread *thread,
				     struct selfmon_snapshot *now)
{
	if (selfmon_likely(!thread->set)) {
		now->cpu = selfmon_load_once(thread->cpu);
		now->ticks = ticks_now(thread);
		return;
	}
	selfmon_snapshot_take(thread->set, now, false);
}

static ALWAYS_INLINE struct selfmon_suspended *
room_for(struct selfmon_thread *thread, struct selfmon_fiber *fiber,
	 unsigned int i)
{
	struct selfmon_suspended *const kept = selfmon_fiber_visit(fiber, i);
	struct selfmon_signals signals;

	if (selfmon_likely(kept != NULL))
		return kept;
	selfmon_thread_busy(thread, &signals);
	selfmon_fiber_grow(fiber);
	selfmon_thread_idle(thread, &signals);
	return selfmon_fiber_visit(fiber, i);
}

static void keep_visit(struct selfmon_thread *thread,
		       struct selfmon_fiber *fiber,
		       const struct selfmon_visit *open,
		       const struct selfmon_snapshot *now,
		       struct selfmon_suspended *kept)
{
	selfmon_fiber_keep_line(open, open->node, kept, true);
	if (selfmon_unlikely(open->node->stats->work || kept->units))
		selfmon_fiber_keep_units(thread, fiber, open, kept);
	if (thread->random) {
		kept->measured = open->start.ticks != 0;
		kept->inside = open->inside;
	}
	if (thread->set)
		selfmon_fiber_keep_counts(thread->set, open, now, kept);
}

/* Saves the visits. If there is not enough memory, cuts off the newest ones. */
static void keep_visits(struct selfmon_thread *thread,
			struct selfmon_fiber *fiber,
			const struct selfmon_snapshot *now)
{
	const struct selfmon_visit *open;
	struct selfmon_suspended *kept;
	unsigned int n = 0;

	for (open = thread->open + 1; open <= thread->top; open++) {
		if (selfmon_unlikely(!selfmon_entry_is_open(open)))
			continue;
		kept = room_for(thread, fiber, n);
		if (selfmon_unlikely(!kept))
			break;
		keep_visit(thread, fiber, open, now, kept);
		n++;
	}
	while (selfmon_unlikely(open <= thread->top))
		selfmon_unwind_cut_off(thread);
	if (thread->set || thread->missing)
		fiber->values = selfmon_fiber_values(thread);
	fiber->counted = selfmon_fiber_counted(thread, fiber, n);
	fiber->since = now->ticks;
	selfmon_compiler_fence();
	selfmon_store_once(&fiber->count, n);
}

/* Frees all entries of the thread. Their visits have been saved. */
static void take_off(struct selfmon_thread *thread)
{
	struct selfmon_visit *open;

	for (open = thread->top; open > thread->open; open--) {
		if (selfmon_unlikely(selfmon_entry_is_open(open) &&
				     open->node->stats->work))
			selfmon_stats_drop_units(open->node->stats);
		selfmon_store_once(&open->mark, SELFMON_MARK_NONE);
	}
	selfmon_compiler_fence();
	selfmon_store_once(&thread->top, thread->open);
}

void selfmon_fiber_suspend(struct selfmon_thread *thread,
			   const struct selfmon_snapshot *now)
{
	struct selfmon_fiber *const fiber = thread->fiber;

	if (selfmon_unlikely(selfmon_thread_ring_on(thread)))
		selfmon_thread_ring_read(thread, UINT64_MAX);
	if (selfmon_likely(!fiber->count))
		keep_visits(thread, fiber, now);
	take_off(thread);
	selfmon_fiber_leave_stack(thread, fiber);
}

__attribute__((cold))
static NEVER_INLINE struct selfmon_node *
place_searched(struct selfmon_thread *thread, struct selfmon_node *parent,
	       uint32_t region)
{
	struct selfmon_node *node = selfmon_tree_find(thread, parent, region);
	struct selfmon_signals signals;

	if (node)
		return node;
	selfmon_thread_busy(thread, &signals);
	node = selfmon_tree_place(thread, parent, region);
	selfmon_thread_idle(thread, &signals);
	return node;
}

static ALWAYS_INLINE struct selfmon_node *
resumed_place(struct selfmon_thread *thread, const struct selfmon_fiber *fiber,
	      const struct selfmon_suspended *kept, struct selfmon_node *parent)
{
	struct selfmon_node *const node = kept->node;

	/*
	 * In another thread the node belongs to another tree. The visits are
	 * restored from the outermost one on, so the parent is already right.
	 */
	if (selfmon_likely(node && node->parent == parent))
		return node;
	return place_searched(thread, parent,
			      node ? node->region : fiber->region);
}

/*
 * Restores a visit into the thread's next entry, except the visit's start.
 * Returns false if there is no memory for its node, or no entry.
 */
static bool put_on(struct selfmon_thread *thread,
		   const struct selfmon_fiber *fiber,
		   const struct selfmon_suspended *kept, uint64_t now)
{
	struct selfmon_visit *const open = thread->top + 1;
	struct selfmon_node *const node =
		resumed_place(thread, fiber, kept, thread->top->node);
	const bool resumed = fiber->since;

	if (selfmon_unlikely(!node || (thread->top >= thread->last &&
				       !selfmon_thread_deepen(thread))))
		return false;
	open->frame = kept->frame;
	open->node = node;
	open->cpu = selfmon_thread_ring_on(thread) ? selfmon_load_once(thread->cpu)
						: kept->cpu;
	if (resumed) {
		selfmon_rare_add(node->stats, SELFMON_RARE_RESUMED, 1);
		selfmon_rare_add(node->stats, SELFMON_RARE_SUSPENDED_TICKS,
				 now - fiber->since);
	}
	if (thread->random)
		open->inside = kept->inside;
	if (selfmon_unlikely(kept->units != NULL))
		selfmon_fiber_resume_units(thread, node, kept);
	__atomic_store_n(&open->mark, kept->mark, __ATOMIC_RELEASE);
	selfmon_store_once(&thread->top, open);
	return true;
}

static ALWAYS_INLINE void start_all(struct selfmon_thread *thread,
				    struct selfmon_fiber *fiber, unsigned int n,
				    const struct selfmon_snapshot *now)
{
	const uint64_t pause = now->ticks - fiber->since;
	struct selfmon_visit *open = thread->open + 1;
	unsigned int i;

	for (i = 0; i < n; i++, open++) {
		const struct selfmon_suspended *const kept =
			selfmon_fiber_visit(fiber, i);

		selfmon_store_once(&open->start.ticks,
				   kept->start.ticks + pause);
		if (selfmon_unlikely(thread->random && !kept->measured))
			selfmon_store_once(&open->start.ticks, 0);
		if (thread->set)
			selfmon_fiber_resume_counts(thread->set, open, now,
						    kept, fiber->since);
	}
}

/* Begins the visit that represents the fiber itself. */
static void begin_fiber(struct selfmon_thread *thread,
			struct selfmon_fiber *fiber)
{
	struct selfmon_suspended *const own = fiber->visit;

	own->measured = !selfmon_sample_skips(thread, thread->top->node);
	own->start.cpu = selfmon_load_once(thread->cpu);
	thread->top->cpu = own->start.cpu;
	fiber->values = selfmon_fiber_values(thread);
}

/*
 * Restores the saved visits. Returns how many of them continue: all, unless
 * there is not enough memory. before is the time in ticks at which the old
 * fiber was suspended.
 */
static unsigned int put_all_on(struct selfmon_thread *thread,
			       struct selfmon_fiber *fiber, uint64_t before)
{
	const unsigned int count = fiber->count;
	unsigned int i;

	selfmon_fiber_enter_stack(thread, fiber);
	fiber->ran = thread;
	for (i = 0; i < count; i++)
		if (selfmon_unlikely(!put_on(thread, fiber,
					     selfmon_fiber_visit(fiber, i),
					     before)))
			break;
	for (; selfmon_unlikely(i < count); i++)
		selfmon_visit_not_measured(thread);
	return (unsigned int)(thread->top - thread->open);
}

void selfmon_fiber_resume(struct selfmon_thread *thread,
			  struct selfmon_fiber *fiber,
			  const struct selfmon_snapshot *before,
			  struct selfmon_snapshot *now)
{
	const unsigned int n = put_all_on(thread, fiber, before->ticks);

	if (selfmon_unlikely(!fiber->since && fiber->region && n))
		begin_fiber(thread, fiber);
	else if (thread->set || thread->missing)
		selfmon_fiber_match(thread, fiber, n);
	fiber->counted = selfmon_fiber_counted(thread, fiber, n);
	if (now != before)
		read_begin(thread, now);
	start_all(thread, fiber, n, now);
	selfmon_compiler_fence();
	selfmon_store_once(&fiber->count, 0);
}
