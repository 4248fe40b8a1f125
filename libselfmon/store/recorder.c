/* SPDX-License-Identifier: MIT */
#include "store/recorder.h"

#include <string.h>

#include "platform/futex.h"
#include "platform/kernel.h"
#include "store/limits.h"
#include "store/ring_state.h"
#include "store/slowest.h"

/*
 * Writes consecutive entries, even if a signal handler interrupts. Returns the
 * position after them.
 */
static uint64_t put_group(struct selfmon_recorder *recorder,
			  const struct selfmon_ended *from, size_t count)
{
	const uint64_t position =
		selfmon_arch_take(&recorder->position, count);
	size_t i;

	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (i = 0; i < count; i++) {
		struct selfmon_ended *const to =
			&recorder->entry[(position + i) & recorder->mask];

		selfmon_store_once(&to->end, from[i].end);
		selfmon_store_once(&to->ticks_region, from[i].ticks_region);
	}
	__atomic_thread_fence(__ATOMIC_RELEASE);
	selfmon_arch_add(&recorder->written, count);
	return position + count;
}

static struct selfmon_ended ended_entry(uint64_t end, uint64_t ticks,
					uint64_t region)
{
	return (struct selfmon_ended){ end, selfmon_ended_pack(ticks, region) };
}

/*
 * Requests that the trace's writer writes all entries up to this position. If
 * several visits trigger, only the largest position is kept, since it includes
 * the others. Async-signal-safe; does not wait.
 */
static void pull_trigger(struct selfmon_recorder *recorder, uint64_t position)
{
	struct selfmon_process *const process = selfmon_process_made();
	uint64_t wanted = selfmon_load_once(&recorder->wanted);

	/* Release: a writer that sees the position sees the entries. */
	while (wanted < position &&
	       !__atomic_compare_exchange_n(&recorder->wanted, &wanted, position,
					    false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	if (process &&
	    !__atomic_exchange_n(&process->triggered, 1, __ATOMIC_RELEASE))
		selfmon_futex_wake(&process->triggered);
}

/* Release: a reader that sees the number sees `wanted` of these triggers. */
static void count_trigger(struct selfmon_recorder *recorder)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	selfmon_arch_add(&recorder->triggers, 1);
}

/*
 * Records a visit in a traced ring, with additional entries for what does not
 * fit into the visit's own entry. If limit is not 0, the visit lasted longer
 * than this limit and triggers the trace.
 */
static void put_traced(struct selfmon_thread *thread,
		       const struct selfmon_recorded_visit *visit,
		       uint64_t limit)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	const uint64_t ticks = visit->end - visit->start;
	struct selfmon_ended group[SELFMON_ENDED_GROUP_MAX];
	size_t n = 0, i;

	if (visit->alone || visit->frame || ticks > SELFMON_ENDED_TICKS_MAX)
		group[n++] = ended_entry(visit->start,
					 visit->frame   ? SELFMON_START_FRAME
					 : visit->alone ? SELFMON_START_SPAN
							: SELFMON_START_LONG,
					 SELFMON_ENDED_START);
	group[n++] = ended_entry(visit->end, ticks, visit->node->region);
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		if (visit->values & UINT32_C(1) << i)
			group[n++] = ended_entry(visit->value[i], i,
					   SELFMON_ENDED_COUNT);
	if (selfmon_likely(!limit)) {
		put_group(recorder, group, n);
		return;
	}
	group[n++] = ended_entry(selfmon_watch_limit_ns(limit),
				 thread->record->tid, SELFMON_ENDED_LONGER);
	pull_trigger(recorder, put_group(recorder, group, n));
}

/*
 * Handles a visit that may have lasted longer than one of its region's limits.
 * If the visit triggers the trace, returns the trace's limit, else 0.
 */
static uint64_t look_at_longer(struct selfmon_thread *thread,
			       const struct selfmon_recorded_visit *visit,
			       struct selfmon_watch *watch,
			       struct selfmon_due *due)
{
	const bool chosen = __atomic_load_n(&watch->chosen, __ATOMIC_ACQUIRE);
	uint64_t trigger, call;

	if (watch->slowest &&
	    visit->ticks > selfmon_load_once(&watch->slowest->limit)) {
		selfmon_slowest_keep(thread, watch, visit,
				     selfmon_limits_listed(visit->node,
							   visit->ticks));
		selfmon_limits_end(thread, visit->node, watch->slowest);
	}
	trigger = selfmon_load_once(&watch->trigger);
	if (visit->ticks <= trigger || trigger == SELFMON_WATCH_NONE)
		trigger = 0;
	else
		__atomic_fetch_add(&watch->longer, 1, __ATOMIC_RELAXED);
	call = selfmon_config()->longer_ns ? watch->call
	       : chosen			   ? trigger
					   : 0;
	if (selfmon_config()->longer && call && call != SELFMON_WATCH_NONE &&
	    visit->ticks > call)
		*due = (struct selfmon_due){ visit->node, visit->start,
					     visit->end, visit->ticks, call };
	return trigger;
}

void selfmon_recorder_add(struct selfmon_thread *thread,
			  const struct selfmon_recorded_visit *visit,
			  struct selfmon_due *due)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_watch *watch = NULL;
	uint64_t trigger = 0, position;
	bool longer;

	due->node = NULL;
	if (visit->ticks >= selfmon_load_once(&visit->node->stats->recorded)) {
		watch = selfmon_watch_of(selfmon_process(),
					 visit->node->region);
		longer = watch && visit->ticks > selfmon_load_once(&watch->limit);
		if (longer)
			trigger = look_at_longer(thread, visit, watch, due);
		/* With units, each visit gets here: reviews are enough. */
		if (longer || !selfmon_load_once(&visit->node->stats->work))
			selfmon_limits_set(thread, visit->node, watch);
	}
	if (recorder->traced) {
		put_traced(thread, visit, trigger);
		if (trigger && __atomic_load_n(&watch->chosen, __ATOMIC_ACQUIRE))
			count_trigger(recorder);
	} else if (!visit->alone && !visit->frame &&
		   visit->end - visit->start >=
			   selfmon_load_once(&visit->node->stats->part)) {
		position = selfmon_recorder_put(
			recorder, visit->end,
			selfmon_ended_pack(visit->end - visit->start,
					   visit->node->region));
		if (selfmon_unlikely(
			    selfmon_recorder_is_due(recorder, position)))
			selfmon_limits_review(thread);
	}
}

void selfmon_recorder_owner(struct selfmon_thread *thread, uint64_t now)
{
	if (thread->recorder && thread->recorder->traced)
		selfmon_recorder_put(thread->recorder, now,
				     selfmon_ended_pack(thread->record->tid,
							SELFMON_ENDED_THREAD));
}

void selfmon_recorder_name(struct selfmon_thread *thread)
{
	char name[SELFMON_THREAD_NAME];
	uint64_t half[2];

	if (!thread->recorder || !thread->recorder->traced)
		return;
	selfmon_kernel_thread_name(name);
	memcpy(half, name, sizeof(half));
	put_group(thread->recorder,
		  (struct selfmon_ended[]){
			  ended_entry(half[0], 0, SELFMON_ENDED_NAME),
			  ended_entry(half[1], 1, SELFMON_ENDED_NAME),
		  },
		  2);
}

void selfmon_recorder_fiber(struct selfmon_thread *thread, uint64_t before,
			    uint64_t now, uint64_t fiber)
{
	const struct selfmon_ended group[] = {
		ended_entry(before, SELFMON_ENDED_NO_FIBER, SELFMON_ENDED_FIBER),
		ended_entry(now, fiber, SELFMON_ENDED_FIBER),
	};

	if (thread->recorder && thread->recorder->traced)
		put_group(thread->recorder, group, 2);
}

/* Negative ticks become 0: the timestamp counters of two CPUs may differ. */
static uint64_t at_least_zero(uint64_t ticks)
{
	return (int64_t)ticks < 0 ? 0 : ticks;
}

static struct selfmon_recorded_visit
recorded_visit(const struct selfmon_thread *thread,
	       const struct selfmon_visit *open, uint64_t ticks)
{
	const bool resumed = (uintptr_t)open->frame & 1; /* open/entry.h */

	return (struct selfmon_recorded_visit){
		.node = open->node,
		.start = open->start.ticks,
		.end = open->start.ticks + at_least_zero(ticks),
		.ticks = at_least_zero(ticks),
		.resumed = resumed,
		.off_cpu = resumed ? NULL : selfmon_ring_off_of(thread, open),
	};
}

void selfmon_recorder_time(struct selfmon_thread *thread,
			   const struct selfmon_visit *open, uint64_t end,
			   uint64_t ticks, bool moved,
			   struct selfmon_due *due)
{
	struct selfmon_recorded_visit visit =
		recorded_visit(thread, open, ticks);

	if (end > visit.end)
		visit.end = end;
	visit.moved = moved;
	selfmon_recorder_add(thread, &visit, due);
}

void selfmon_recorder_counts(struct selfmon_thread *thread,
			     const struct selfmon_visit *open, uint64_t ticks,
			     const uint64_t *count, struct selfmon_due *due)
{
	struct selfmon_recorded_visit visit =
		recorded_visit(thread, open, ticks);
	unsigned int i;

	for (i = 0; i < thread->set->count; i++) {
		visit.values |= UINT32_C(1) << thread->column[i];
		visit.value[thread->column[i]] = count[i];
	}
	selfmon_recorder_add(thread, &visit, due);
}

void selfmon_recorder_delta(struct selfmon_thread *thread,
			    const struct selfmon_visit *open,
			    const struct selfmon_delta *delta,
			    struct selfmon_due *due)
{
	struct selfmon_recorded_visit visit =
		recorded_visit(thread, open, delta->ticks);
	const size_t count = thread->set ? thread->set->count : 0;
	size_t i;

	visit.moved = delta->flags & SELFMON_DELTA_MIGRATED;
	for (i = 0; i < count; i++) {
		if (delta->value[i].verdict == SELFMON_NOT_COUNTED)
			continue;
		visit.values |= UINT32_C(1) << thread->column[i];
		visit.value[thread->column[i]] = delta->value[i].count;
	}
	selfmon_recorder_add(thread, &visit, due);
}
