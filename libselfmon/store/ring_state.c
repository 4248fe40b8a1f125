/* SPDX-License-Identifier: MIT */
#include "store/ring_state.h"

#include "store/live.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/process.h"

/*
 * Makes the record, in the live file if the thread's other records are there.
 */
static struct selfmon_ring_record *
make_record(const struct selfmon_process *process,
	     const struct selfmon_thread *thread, uint32_t first)
{
	struct selfmon_ring_record *record = NULL;

	if (thread->live)
		record = selfmon_live_take(process, SELFMON_RECORD_RING,
					   sizeof(*record));
	if (!record)
		record = selfmon_memory_wiped(sizeof(*record));
	if (!record)
		return NULL;
	record->thread = thread->record->number;
	record->first = first;
	if (record->record.type)
		selfmon_live_publish(process, &record->record);
	return record;
}

struct selfmon_ring_sums *selfmon_ring_sums_of(struct selfmon_thread *thread,
					   uint32_t ordinal)
{
	struct selfmon_thread_ring *const ring = thread->ring;
	const uint32_t k = ordinal / SELFMON_RING_PLACES;
	struct selfmon_ring_record *record = ring->record[k];
	struct selfmon_process *process;

	if (!record) {
		process = selfmon_process();
		selfmon_process_lock(process);
		record = make_record(process, thread,
				      k * SELFMON_RING_PLACES);
		selfmon_process_unlock(process);
		/* Release: a reader that loads the pointer sees zeroed sums. */
		__atomic_store_n(&ring->record[k], record,
				 __ATOMIC_RELEASE);
	}
	return record ? &record->place[ordinal % SELFMON_RING_PLACES] : NULL;
}

void selfmon_ring_sums_read(const struct selfmon_thread *thread,
			  uint32_t ordinal, struct selfmon_ring_sums *sum)
{
	const struct selfmon_thread_ring *const ring =
		__atomic_load_n(&thread->ring, __ATOMIC_ACQUIRE);
	const struct selfmon_ring_record *record;
	const struct selfmon_ring_sums *place;

	if (!ring)
		return;
	record = __atomic_load_n(
		&ring->record[ordinal / SELFMON_RING_PLACES],
		__ATOMIC_ACQUIRE);
	if (!record)
		return;
	place = &record->place[ordinal % SELFMON_RING_PLACES];
	sum->off.blocked_ns += selfmon_load_once(&place->off.blocked_ns);
	sum->off.preempted_ns += selfmon_load_once(&place->off.preempted_ns);
	sum->off.blocked += selfmon_load_once(&place->off.blocked);
	sum->off.preempted += selfmon_load_once(&place->off.preempted);
	sum->samples += selfmon_load_once(&place->samples);
}

const struct selfmon_off_cpu *
selfmon_ring_off_of(const struct selfmon_thread *thread,
		    const struct selfmon_visit *open)
{
	static const struct selfmon_off_cpu none;
	const struct selfmon_ring_visit *visit;

	if (!selfmon_thread_ring_on(thread) || !thread->ring->switches.on)
		return NULL;
	visit = &thread->ring->visit[open - thread->open];
	return (uint32_t)visit->began == open->cpu ? &visit->off : &none;
}
