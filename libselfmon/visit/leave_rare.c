/* SPDX-License-Identifier: MIT */
#include "visit/leave_rare.h"

#include "session/thread_ring.h"
#include "store/recorder.h"
#include "store/self.h"
#include "store/stats.h"
#include "visit/longer.h"
#include "visit/visit.h"

NEVER_INLINE void selfmon_leave_rare(struct selfmon_thread *thread,
				     struct selfmon_visit *open, uint64_t ticks)
{
	const uint64_t end = open->start.ticks + ticks;
	bool moved = selfmon_load_once(thread->cpu) != open->cpu;
	struct selfmon_due due;
	struct selfmon_ring_end ring;

	if (moved && selfmon_thread_ring_on(thread)) {
		ring = selfmon_thread_ring_read(thread, ticks);
		moved = ring.moved;
		ticks = ring.ticks;
	}
	selfmon_stats_time(open->node->stats, ticks, moved, &open->mark);
	if (selfmon_likely(!thread->recorder)) {
		selfmon_visit_give_back(thread, open);
		return;
	}
	selfmon_recorder_time(thread, open, end, ticks, moved, &due);
	selfmon_visit_give_back(thread, open);
	selfmon_longer_call(thread, &due);
}
