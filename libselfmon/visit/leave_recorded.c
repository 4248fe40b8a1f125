/* SPDX-License-Identifier: MIT */
/*
 * Leave for threads that record their visits and measure time alone. Enter is
 * the same as in other threads. In such a thread, `unusual` is 0 in all nodes,
 * so each leave takes the slow path, which calls this file. So threads that do
 * not record run no additional code.
 */
#include "visit/leave_recorded.h"

#include "store/recorder.h"
#include "store/self.h"
#include "store/stats.h"
#include "visit/leave_rare.h"
#include "visit/visit.h"

/*
 * A time of at most *slow_limit fits into the histogram of short times and into
 * an entry of the recorder: all limits are below SELFMON_TICKS_LONG and
 * SELFMON_ENDED_TICKS_MAX. So no other check is needed.
 */
void selfmon_leave_recorded(struct selfmon_thread *thread,
			    struct selfmon_visit *open, uint64_t ticks)
{
	const struct selfmon_node *const node = open->node;
	struct selfmon_stats *const stats = open->node->stats;

	if (selfmon_unlikely(!selfmon_sums_hold(&stats->ticks, ticks) ||
			     ticks > selfmon_load_once(stats->slow_limit) ||
			     selfmon_load_once(thread->cpu) != open->cpu ||
			     stats->work)) {
		selfmon_leave_rare(thread, open, ticks);
		return;
	}
	selfmon_stats_begin(stats);
	selfmon_arch_add(&stats->ticks.sum, ticks);
	selfmon_histogram_put(stats, selfmon_bucket_of(ticks));
	selfmon_mark_recorded(&open->mark);
	selfmon_stats_end(stats);
	selfmon_recorder_put(thread->recorder, open->start.ticks + ticks,
			     ticks << SELFMON_ENDED_REGION_BITS | node->region);
	selfmon_visit_give_back(thread, open);
}
