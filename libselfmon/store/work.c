/* SPDX-License-Identifier: MIT */
/*
 * Makes the records for units that visits count, in the live file if there is
 * one.
 */
#include "store/work.h"

#include <string.h>

#include "store/live.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/process.h"
#include "store/unit.h"

static struct selfmon_work *make_work(const struct selfmon_process *process,
				      const struct selfmon_thread *thread,
				      struct selfmon_node *node, uint32_t unit)
{
	struct selfmon_work *work = NULL;

	if (thread->live)
		work = selfmon_live_take(process, SELFMON_RECORD_WORK,
					 sizeof(*work));
	if (!work)
		work = selfmon_memory_wiped(sizeof(*work));
	if (!work)
		return NULL;
	work->thread = node->thread;
	work->ordinal = node->ordinal;
	work->unit = unit;
	work->min = UINT64_MAX;
	memcpy(work->name, selfmon_unit_at(unit)->name, sizeof(work->name));
	work->next = node->stats->work;
	if (work->record.type)
		selfmon_live_publish(process, &work->record);
	/* Release: a reader that loads the pointer sees a complete record. */
	__atomic_store_n(&node->stats->work, work, __ATOMIC_RELEASE);
	/*
	 * In a thread that records its visits, each visit of the node takes the
	 * slow path from now on: `unusual` is never above `recorded`.
	 */
	selfmon_store_once(&node->stats->recorded, 0);
	return work;
}

struct selfmon_work *selfmon_work_make(const struct selfmon_thread *thread,
				       struct selfmon_node *node, uint32_t unit)
{
	struct selfmon_work *work = selfmon_work_of(node, unit);
	struct selfmon_process *process;

	if (work)
		return work;
	process = selfmon_process();
	selfmon_process_lock(process);
	work = make_work(process, thread, node, unit);
	selfmon_process_unlock(process);
	return work;
}

void selfmon_work_move(struct selfmon_thread *thread, struct selfmon_node *from,
		       struct selfmon_node *to)
{
	struct selfmon_work *work, *there;

	if (from == to || !from->stats->work)
		return;
	for (work = from->stats->work; work; work = work->next) {
		if (!work->open)
			continue;
		there = selfmon_work_make(thread, to, work->unit);
		if (there)
			selfmon_arch_add(&there->open, work->open);
		else
			selfmon_arch_add(&thread->record->uncounted, 1);
		selfmon_store_once(&work->open, 0);
	}
	selfmon_store_once(&to->stats->unusual, 0);
}
