/* SPDX-License-Identifier: MIT */
/*
 * Ends visits of user.c (all counters read in user space) for which the
 * difference of the registers may not be the count. Computes the counts at the
 * start and at the end from registers and offsets.
 */
#include "visit/rare.h"

#include "counters/set.h"
#include "store/recorder.h"
#include "store/self.h"
#include "store/state.h"
#include "store/stats.h"
#include "visit/any.h"
#include "visit/counts.h"
#include "visit/longer.h"
#include "visit/registers.h"
#include "visit/visit.h"

NEVER_INLINE void selfmon_leave_again(struct selfmon_visit *open)
{
	const struct selfmon_page *const leader = open->thread->set->page[0];

	if (selfmon_page_owns(leader, selfmon_load_once(&leader->index)))
		selfmon_rare_add(open->node->stats, SELFMON_RARE_MOVED, 1);
	selfmon_leave_any(selfmon_visit_frame(open));
}

/*
 * Returns true if the registers that leave has read belonged to the events of
 * the set, and there was no context switch between these reads. The pages must
 * still have the counter numbers that were cached at the start. If a register
 * is now lower than when leave read it, the register was reset after an
 * overflow, and the result is false. Where a stale read faults, leave reads by
 * the current numbers, and nothing needs to be checked.
 */
static bool were_own(const struct selfmon_visit *open, uint32_t locks,
		     const uint64_t *count)
{
	const struct selfmon_counters *const head = open->thread->set;
	unsigned int i;

	if (SELFMON_ARCH_STALE_READ_FAULTS || locks == open->known.locks)
		return true;
	if (selfmon_load_once(&head->page[0]->lock) != open->end_lock)
		return false;
	for (i = 0; i < head->count; i++) {
		const uint32_t index = selfmon_load_once(&head->page[i]->index);
		uint64_t since;

		if (index - 1 != kept_counter(open, i))
			return false;
		since = read_register(head, index - 1) - open->start.value[i] -
			count[i];
		if ((int64_t)selfmon_page_extend(since, head->shift[i]) < 0)
			return false;
	}
	return true;
}

/*
 * Makes the snapshot of a visit's end from the registers that leave has read.
 * Returns false if a lock has changed since leave read them.
 */
static bool end_counts(const struct selfmon_visit *open, uint64_t ticks,
		       uint32_t locks, const uint64_t *count,
		       struct selfmon_snapshot *end)
{
	const struct selfmon_counters *const head = open->thread->set;
	const struct selfmon_page *const leader = head->page[0];
	const uint64_t enabled = selfmon_load_once(&leader->time_enabled);
	const unsigned int members = head->count;
	uint64_t offset[SELFMON_MAX_COUNTERS];
	unsigned int i;

	*end = open->start;
	end->ticks += ticks;
	end->lock = selfmon_load_once(&leader->lock);
	end->off_ns = enabled - selfmon_load_once(&leader->time_running);
	end->enabled_ns = enabled + selfmon_load_once(&leader->time_offset);
	end->cpu = selfmon_load_once(head->cpu);
	for (i = 0; i < members; i++) {
		end->value[i] += count[i];
		offset[i] = (uint64_t)selfmon_load_once(&head->page[i]->offset);
	}
	selfmon_compiler_fence();
	if (selfmon_set_locks(head, members) != locks)
		return false;
	selfmon_add_offsets(head, members, end, offset);
	return true;
}

/*
 * Returns true if the visit has no problem but is rare for one of these
 * reasons: it counted units, the thread records its visits, it is the shortest
 * so far, or one of its counts is a new minimum or maximum. No problem means:
 * no lock changed, it is neither the longest so far nor SELFMON_TICKS_LONG or
 * longer, and all counts are possible.
 */
static bool is_extreme(const struct selfmon_visit *open, uint64_t ticks,
		       uint32_t locks, const uint64_t *count)
{
	const struct selfmon_thread *const thread = open->thread;
	unsigned int i;

	if (locks != open->known.locks ||
	    ticks > open->node->stats->ticks.max || ticks >= SELFMON_TICKS_LONG)
		return false;
	for (i = 0; i < thread->set->count; i++)
		if (count[i] >
		    ticks * thread->max_per_tick + SELFMON_POSSIBLE_SLACK)
			return false;
	return true;
}

static void record_extreme(struct selfmon_visit *open, uint64_t ticks,
			   const uint64_t *count)
{
	struct selfmon_thread *const thread = open->thread;
	struct selfmon_stats *const stats = open->node->stats;
	struct selfmon_due due;
	unsigned int i;

	selfmon_stats_begin(stats);
	selfmon_sums_add(&stats->ticks, ticks);
	if (!selfmon_load_once(&stats->unusual))
		selfmon_stats_work(stats);
	for (i = 0; i < thread->set->count; i++)
		selfmon_sums_add(&stats->counter[i], count[i]);
	selfmon_histogram_put(stats, selfmon_bucket_of(ticks));
	selfmon_mark_recorded(&open->mark);
	selfmon_stats_end(stats);
	if (selfmon_likely(!thread->recorder)) {
		selfmon_visit_give_back(thread, open);
		return;
	}
	selfmon_recorder_counts(thread, open, ticks, count, &due);
	selfmon_visit_give_back(thread, open);
	selfmon_longer_call(thread, &due);
}

/*
 * Ends a visit that counted units or must be recorded, in which a lock changed,
 * or whose time or counts are extreme or impossible.
 */
NEVER_INLINE void selfmon_leave_unusual(struct selfmon_visit *open,
					uint64_t ticks, uint32_t locks,
					const uint64_t *count)
{
	struct selfmon_thread *const thread = open->thread;
	struct selfmon_due due;
	struct selfmon_snapshot start, end;
	struct selfmon_delta delta;

	if (is_extreme(open, ticks, locks, count)) {
		record_extreme(open, ticks, count);
		return;
	}
	if (selfmon_unlikely(!were_own(open, locks, count) ||
			     !end_counts(open, ticks, locks, count, &end))) {
		selfmon_leave_again(open);
		return;
	}
	selfmon_start_counts(open, &start);
	selfmon_counters_delta(thread->set, &start, &end, &delta);
	selfmon_stats_delta(thread, open->node->stats, &delta, &open->mark);
	if (selfmon_likely(!thread->recorder)) {
		selfmon_visit_give_back(thread, open);
		return;
	}
	selfmon_recorder_delta(thread, open, &delta, &due);
	selfmon_visit_give_back(thread, open);
	selfmon_longer_call(thread, &due);
}
