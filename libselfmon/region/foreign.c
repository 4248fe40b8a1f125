/* SPDX-License-Identifier: MIT */
/*
 * Visits that another thread leaves than the one which entered them: found
 * among the entries of their owner, who goes on meanwhile.
 */
#include "region/entry.h"
#include "region/live.h"
#include "region/visit.h"

/*
 * Whose entry stands here? Asked of the threads and not of the entry: it may be
 * anything.
 */
static struct selfmon_thread *owner_of(const struct selfmon_open *open)
{
	const struct selfmon_process *const process = selfmon_process();
	struct selfmon_thread *thread =
		process ? __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE)
			: NULL;

	while (thread && (uintptr_t)open - (uintptr_t)thread->open >
				 SELFMON_DEPTH_MAX * sizeof(*open))
		thread = thread->next;
	return thread;
}

/*
 * An entry that was moved is looked for. A child of fork finds zeros, or, where
 * its parent had a live file, nothing at all, or what is its own by now.
 */
static struct selfmon_open *find_foreign(const struct selfmon_frame *frame)
{
	struct selfmon_open *open = selfmon_visit_entry(frame);
	const struct selfmon_thread *owner;

	if (!selfmon_live_holds(open))
		return NULL;
	if (selfmon_entry_is_of(open, frame))
		return open;
	owner = owner_of(open);
	if (!owner)
		return NULL;
	for (open = selfmon_load_once(&owner->last); open > owner->open; open--)
		if (selfmon_entry_is_of(open, frame))
			return open;
	return NULL;
}

/*
 * False: the owner has moved it since it was found, or has put another here.
 * What is read of it is read before its mark says that the owner may use it
 * anew.
 */
static bool leave_entry(struct selfmon_open *open,
			const struct selfmon_frame *frame, uint32_t *region,
			uint64_t *ticks)
{
	uint64_t mark = selfmon_entry_mark(open);
	const struct selfmon_node *node;

	if (!selfmon_entry_is_marked_for(open, mark, frame))
		return false;
	node = selfmon_load_once(&open->node);
	*ticks = selfmon_load_once(&open->start.ticks);
	*region = node->region;
	return __atomic_compare_exchange_n(&open->mark, &mark,
					   SELFMON_MARK_LEFT, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/*
 * A frame that another thread entered: its entry there is marked as left, if
 * it is still there. That thread's memory is never freed, and a span's token
 * is never used twice, so that an entry used again is not mistaken for it.
 */
bool selfmon_foreign_leave(const struct selfmon_frame *frame, uint32_t *region,
			   uint64_t *ticks)
{
	struct selfmon_open *open;

	while ((open = find_foreign(frame)))
		if (leave_entry(open, frame, region, ticks))
			return true;
	return false;
}
