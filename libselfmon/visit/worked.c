/* SPDX-License-Identifier: MIT */
/* Counts units, and ends visits that have counted units. */
#include "visit/worked.h"

#include "store/self.h"
#include "store/state.h"
#include "store/work.h"
#include "visit/visit.h"

static void count_work(struct selfmon_node *node, struct selfmon_work *work,
		       uint64_t n)
{
	selfmon_arch_add(&work->open, n);
	selfmon_compiler_fence();
	selfmon_store_once(&node->stats->unusual, 0);
}

/*
 * Counts a unit that is new in this node. Without an open visit, the node is
 * the root, and nothing is counted.
 */
static NEVER_INLINE void count_first(struct selfmon_node *node, uint32_t unit,
				     uint64_t n)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_work *work = NULL;
	struct selfmon_signals signals;

	if (node == thread->root)
		return;
	if (!(selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY)) {
		selfmon_thread_busy(thread, &signals);
		work = selfmon_work_make(thread, node, unit);
		selfmon_thread_idle(thread, &signals);
	}
	if (work)
		count_work(node, work, n);
	else
		selfmon_arch_add(&thread->record->uncounted, 1);
}

/*
 * Counts units of the newest open visit, in a record of the visit's node.
 * Unless the tree is full, a thread has at most one open visit of a node, so
 * one count for each unit is enough. Setting `unusual` to 0 forces leave onto
 * the slow path, which collects and clears the counts. So enter, and a leave
 * without units, need no additional code.
 */
void selfmon_impl_units(uint32_t unit, uint64_t n)
{
	const struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_work *work;
	struct selfmon_node *node;

	if (selfmon_unlikely(!thread->top))
		return;
	node = selfmon_likely(selfmon_load_once(&thread->top->mark) !=
			      SELFMON_MARK_NONE)
		       ? thread->top->node
		       : selfmon_entry_place(thread);
	work = selfmon_work_of(node, unit);
	if (selfmon_likely(work != NULL))
		count_work(node, work, n);
	else
		count_first(node, unit, n);
}

static ALWAYS_INLINE void leave_worked(struct selfmon_visit *open,
				       uint64_t ticks, bool several)
{
	struct selfmon_stats *const stats = open->node->stats;

	selfmon_stats_begin(stats);
	selfmon_arch_add(&stats->ticks.sum, ticks);
	selfmon_store_once(&stats->unusual, stats->ticks.max + 1);
	if (several)
		selfmon_work_collect(stats);
	else
		selfmon_work_take(stats, stats->work);
	selfmon_histogram_put(stats, selfmon_bucket_of(ticks));
	selfmon_mark_recorded(&open->mark);
	selfmon_stats_end(stats);
	selfmon_visit_give_back(open->thread, open);
}

void selfmon_leave_work(struct selfmon_visit *open, uint64_t ticks)
{
	leave_worked(open, ticks, false);
}

void selfmon_leave_works(struct selfmon_visit *open, uint64_t ticks)
{
	leave_worked(open, ticks, true);
}
