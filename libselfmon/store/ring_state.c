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
	sum->blocked_ns += selfmon_load_once(&place->blocked_ns);
	sum->preempted_ns += selfmon_load_once(&place->preempted_ns);
	sum->blocked += selfmon_load_once(&place->blocked);
	sum->preempted += selfmon_load_once(&place->preempted);
	sum->samples += selfmon_load_once(&place->samples);
}

void selfmon_ring_sums_add(struct selfmon_ring_sums *to,
			 const struct selfmon_ring_sums *n)
{
	selfmon_arch_add(&to->blocked_ns, n->blocked_ns);
	selfmon_arch_add(&to->preempted_ns, n->preempted_ns);
	selfmon_arch_add(&to->blocked, n->blocked);
	selfmon_arch_add(&to->preempted, n->preempted);
	selfmon_arch_add(&to->samples, n->samples);
}
