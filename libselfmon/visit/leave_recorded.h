/* SPDX-License-Identifier: MIT */
/*
 * Leave for threads that measure time alone and have a recorder (SELFMON_RECORD,
 * SELFMON_TRACE, or selfmon_options.longer). Enter is the same as in other
 * threads. In a recording thread, a visit that needs an entry in the recorder
 * takes at least `unusual` ticks (store/limits.h), so leave takes the path of
 * unusual visits, which uses this file. Other visits run no additional code.
 */
#ifndef SELFMON_VISIT_LEAVE_RECORDED_H
#define SELFMON_VISIT_LEAVE_RECORDED_H

#include "platform/hide_var.h"
#include "store/limits.h"
#include "store/recorder.h"
#include "visit/visit.h"

/*
 * Ends the newest visit, which took fewer than stats->recorded ticks and ended
 * on the same CPU. Such a time fits into the histogram of short times and into
 * an entry of the recorder.
 */
static ALWAYS_INLINE void selfmon_leave_recorded(struct selfmon_thread *thread,
						 struct selfmon_visit *open,
						 uint64_t ticks)
{
	struct selfmon_stats *const stats = open->node->stats;
	const uint64_t entry =
		ticks << SELFMON_ENDED_REGION_BITS | open->node->region;
	struct selfmon_recorder *recorder;
	uint64_t position;

	selfmon_stats_begin(stats);
	selfmon_visit_record(stats, ticks);
	selfmon_histogram_put(stats, selfmon_bucket_of(ticks));
	selfmon_mark_recorded(&open->mark);
	selfmon_stats_end(stats);
	/* Adding again takes a register less than keeping the timestamp. */
	SELFMON_HIDE_VAR(ticks);
	recorder = thread->recorder;
	position = selfmon_recorder_put(recorder, open->start.ticks + ticks,
					entry);
	selfmon_visit_give_back(thread, open);
	if (selfmon_unlikely(selfmon_recorder_is_due(recorder, position)))
		selfmon_limits_review(thread);
}

#endif
