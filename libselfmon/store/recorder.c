/* SPDX-License-Identifier: MIT */
/* Records visits when they end, and keeps the slowest ones. */
#include "store/recorder.h"

#include "store/slowest.h"

void selfmon_recorder_add(struct selfmon_thread *thread,
			  const struct selfmon_recorded_visit *visit)
{
	struct selfmon_recorder *const recorder = thread->recorder;

	if (visit->ticks > selfmon_load_once(visit->node->stats->slow_limit))
		selfmon_slowest_keep(thread, visit);
	if (!visit->alone)
		selfmon_recorder_put(
			recorder, visit->end,
			selfmon_ended_pack(visit->end - visit->start,
					   visit->node->region));
}

/* Negative ticks become 0: the timestamp counters of two CPUs may differ. */
static uint64_t at_least_zero(uint64_t ticks)
{
	return (int64_t)ticks < 0 ? 0 : ticks;
}

static struct selfmon_recorded_visit recorded_visit(const struct selfmon_visit *open,
					   uint64_t ticks)
{
	return (struct selfmon_recorded_visit){
		.node = open->node,
		.start = open->start.ticks,
		.end = open->start.ticks + at_least_zero(ticks),
		.ticks = at_least_zero(ticks),
		.resumed = (uintptr_t)open->frame & 1, /* open/entry.h */
	};
}

void selfmon_recorder_time(struct selfmon_thread *thread,
			   const struct selfmon_visit *open, uint64_t end,
			   uint64_t ticks, bool moved)
{
	struct selfmon_recorded_visit visit = recorded_visit(open, ticks);

	if (end > visit.end)
		visit.end = end;
	visit.moved = moved;
	selfmon_recorder_add(thread, &visit);
}

void selfmon_recorder_counts(struct selfmon_thread *thread,
			     const struct selfmon_visit *open, uint64_t ticks,
			     const uint64_t *count)
{
	struct selfmon_recorded_visit visit = recorded_visit(open, ticks);
	unsigned int i;

	for (i = 0; i < thread->set->count; i++) {
		visit.values |= UINT32_C(1) << thread->column[i];
		visit.value[thread->column[i]] = count[i];
	}
	selfmon_recorder_add(thread, &visit);
}

void selfmon_recorder_delta(struct selfmon_thread *thread,
			    const struct selfmon_visit *open,
			    const struct selfmon_delta *delta)
{
	struct selfmon_recorded_visit visit = recorded_visit(open, delta->ticks);
	const size_t count = thread->set ? thread->set->count : 0;
	size_t i;

	visit.moved = delta->flags & SELFMON_DELTA_MIGRATED;
	for (i = 0; i < count; i++) {
		if (delta->value[i].verdict == SELFMON_NOT_COUNTED)
			continue;
		visit.values |= UINT32_C(1) << thread->column[i];
		visit.value[thread->column[i]] = delta->value[i].count;
	}
	selfmon_recorder_add(thread, &visit);
}
