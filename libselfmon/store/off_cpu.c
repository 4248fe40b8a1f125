/* SPDX-License-Identifier: MIT */
/* How long visits were off the CPU, by place. */
#include "store/off_cpu.h"

#include "store/live.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/process.h"

/* In the live file if the thread's other records are there. */
static struct selfmon_off_cpu_record *
make_off_cpu(const struct selfmon_process *process,
	     const struct selfmon_thread *thread, uint32_t first)
{
	struct selfmon_off_cpu_record *record = NULL;

	if (thread->live)
		record = selfmon_live_take(process, SELFMON_RECORD_OFF_CPU,
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

struct selfmon_off_cpu *selfmon_off_cpu_of(struct selfmon_thread *thread,
					   uint32_t ordinal)
{
	struct selfmon_switches *const switches = thread->switches;
	const uint32_t k = ordinal / SELFMON_OFF_CPU_PLACES;
	struct selfmon_off_cpu_record *record = switches->record[k];
	struct selfmon_process *process;

	if (!record) {
		process = selfmon_process();
		selfmon_process_lock(process);
		record = make_off_cpu(process, thread,
				      k * SELFMON_OFF_CPU_PLACES);
		selfmon_process_unlock(process);
		/* Release: a reader that sees it sees zeros. */
		__atomic_store_n(&switches->record[k], record,
				 __ATOMIC_RELEASE);
	}
	return record ? &record->place[ordinal % SELFMON_OFF_CPU_PLACES] : NULL;
}

void selfmon_off_cpu_read(const struct selfmon_thread *thread,
			  uint32_t ordinal, struct selfmon_off_cpu *sum)
{
	const struct selfmon_switches *const switches =
		__atomic_load_n(&thread->switches, __ATOMIC_ACQUIRE);
	const struct selfmon_off_cpu_record *record;
	const struct selfmon_off_cpu *place;

	if (!switches)
		return;
	record = __atomic_load_n(
		&switches->record[ordinal / SELFMON_OFF_CPU_PLACES],
		__ATOMIC_ACQUIRE);
	if (!record)
		return;
	place = &record->place[ordinal % SELFMON_OFF_CPU_PLACES];
	sum->blocked_ns += selfmon_load_once(&place->blocked_ns);
	sum->preempted_ns += selfmon_load_once(&place->preempted_ns);
	sum->blocked += selfmon_load_once(&place->blocked);
	sum->preempted += selfmon_load_once(&place->preempted);
}

void selfmon_off_cpu_add(struct selfmon_off_cpu *to,
			 const struct selfmon_off_cpu *n)
{
	selfmon_arch_add(&to->blocked_ns, n->blocked_ns);
	selfmon_arch_add(&to->preempted_ns, n->preempted_ns);
	selfmon_arch_add(&to->blocked, n->blocked);
	selfmon_arch_add(&to->preempted, n->preempted);
}
