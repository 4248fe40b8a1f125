/* SPDX-License-Identifier: MIT */
/*
 * Ends in a thread whose counters are all read in user space (visit_user.c)
 * for which a difference of registers is not enough: out of the registers and
 * the offsets of then and now, whole counts are made.
 */
#include "counters/set.h"
#include "region/visit.h"

/* As the registers were when the offsets were so. */
static void add_offsets(const struct selfmon_counters *head,
			unsigned int members, struct selfmon_snapshot *snapshot,
			const uint64_t *offset)
{
	unsigned int i;

	for (i = 0; i < members; i++)
		snapshot->value[i] = offset[i] +
				     selfmon_page_extend(snapshot->value[i],
							 head->shift[i]);
}

void selfmon_start_counts(const struct selfmon_open *open,
			  struct selfmon_snapshot *start)
{
	const struct selfmon_counters *const head = open->thread->set;

	*start = open->start;
	add_offsets(head, head->count, start, open->rest.offset);
}

/* A lock moved in the middle, or a member has no counter: the long way. */
NEVER_INLINE void selfmon_leave_again(struct selfmon_open *open)
{
	const struct selfmon_page *const leader = open->thread->set->page[0];

	if (selfmon_page_owns(leader, selfmon_load_once(&leader->index)))
		selfmon_rare_add(open->node->stats, SELFMON_RARE_MOVED, 1);
	selfmon_leave_any(selfmon_visit_frame(open));
}

/* The snapshot behind a visit's end; false if a lock has moved since. */
static bool end_counts(const struct selfmon_open *open, uint64_t ticks,
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
	add_offsets(head, members, end, offset);
	return true;
}

/*
 * A visit of which there is something to be said: it was disturbed, is the
 * longest yet, or has a count that may not be possible.
 */
NEVER_INLINE void selfmon_leave_unusual(struct selfmon_open *open,
					uint64_t ticks, uint32_t locks,
					const uint64_t *count)
{
	struct selfmon_thread *const thread = open->thread;
	struct selfmon_snapshot start, end;
	struct selfmon_delta delta;

	if (selfmon_unlikely(!end_counts(open, ticks, locks, count, &end))) {
		selfmon_leave_again(open);
		return;
	}
	selfmon_start_counts(open, &start);
	selfmon_counters_delta(thread->set, &start, &end, &delta);
	selfmon_stats_delta(thread, open->node->stats, &delta, &open->mark);
	selfmon_visit_give_back(thread, open);
}
