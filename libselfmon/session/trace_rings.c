/* SPDX-License-Identifier: MIT */
/*
 * The writer copies entries up to a position at which the number of written
 * entries equalled the number of reserved entries. So no copied entry is half
 * written. Afterwards it counts entries that the thread has begun to overwrite
 * as lost.
 */
#define _GNU_SOURCE
#include "session/trace_rings.h"

#include <string.h>

#include "platform/kernel.h"
#include "session/trace_limits.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/trace_file.h"

/*
 * Number of checks whether all reserved entries are written. Few checks are
 * enough: a thread writes an entry within nanoseconds of reserving it.
 */
#define SETTLE_TRIES 64
/* See selfmon_trace_unsettled(). */
#define UNSETTLED_MAX 8

/* The block is contiguous, so that one call writes it. */
static struct {
	struct selfmon_trace_visits head;
	struct selfmon_ended entry[SELFMON_TRACE_BLOCK_ENTRIES];
} out_block;

/*
 * Copies entries from number `from` to the block, as many as fit. Sets *lost to
 * the number of entries that the thread has overwritten, and *copied to the
 * number of entries in the block. Returns the sum of both numbers.
 */
static uint64_t copy_entries(const struct selfmon_recorder *recorder,
			     uint64_t from, uint64_t to, uint64_t *lost,
			     uint32_t *copied)
{
	const uint64_t size = recorder->mask + 1;
	uint64_t position, overwritten, n, i;

	*lost = to - from > size ? to - from - size : 0;
	from += *lost;
	n = to - from < SELFMON_TRACE_BLOCK_ENTRIES
		    ? to - from
		    : SELFMON_TRACE_BLOCK_ENTRIES;
	for (i = 0; i < n; i++)
		out_block.entry[i] = selfmon_trace_entry(recorder, from + i);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	position = selfmon_load_once(&recorder->position);
	overwritten = position - from > size ? position - from - size : 0;
	if (overwritten > n)
		overwritten = n;
	memmove(out_block.entry, out_block.entry + overwritten,
		(n - overwritten) * sizeof(*out_block.entry));
	*copied = (uint32_t)(n - overwritten);
	*lost += overwritten;
	return *lost + *copied;
}

/*
 * Called if more entries follow after this block. Returns how many entries to
 * write in this block. Leaves the last visit, with its START and COUNT entries,
 * for the next block, because some of its entries may be missing here.
 */
static uint32_t whole_groups(uint32_t count)
{
	while (count > 1 && selfmon_ended_follows(&out_block.entry[count - 1]))
		count--;
	if (count > 1)
		count--;
	if (count > 1 && selfmon_ended_region(&out_block.entry[count - 1]) ==
				 SELFMON_ENDED_START)
		count--;
	return count;
}

/*
 * Drops entries that do not belong in the file, such as visits of regions that
 * are left out. Returns the number of entries that remain. A START entry
 * belongs to the visit after it, COUNT and LONGER entries to the visit before
 * them. Also takes the owner's id and name from their entries, and counts the
 * LONGER entries that remain.
 */
static uint32_t choose_entries(struct selfmon_traced *traced, uint32_t count)
{
	uint32_t kept = 0, visited = 0, i;
	bool written = false, starts = false;

	for (i = 0; i < count; i++) {
		const struct selfmon_ended entry = out_block.entry[i];
		const uint64_t region = selfmon_ended_region(&entry);

		if (region == SELFMON_ENDED_THREAD ||
		    region == SELFMON_ENDED_NAME)
			selfmon_trace_take_owner(traced, &entry);
		if (region < SELFMON_ENDED_SPECIAL) {
			visited = (uint32_t)region;
			written = selfmon_trace_has_region(visited);
			kept -= starts && !written;
		}
		starts = region == SELFMON_ENDED_START;
		if (region == SELFMON_ENDED_NAME ||
		    ((region < SELFMON_ENDED_SPECIAL ||
		      selfmon_ended_follows(&entry)) &&
		     !written))
			continue;
		if (region == SELFMON_ENDED_LONGER) {
			if (!selfmon_trace_limits_has(selfmon_process_made(),
						      visited))
				continue;
			selfmon_trace.marked++;
			traced->marked++;
		}
		out_block.entry[kept++] = entry;
	}
	return kept;
}

/*
 * Appends the block to the file. If no THREAD entry has been read from this
 * ring, the entry may be lost: takes the thread's id from its record instead.
 */
static void write_block(const struct selfmon_thread *thread, uint32_t count,
			uint64_t lost)
{
	struct selfmon_traced *const traced = thread->recorder->trace;

	if (!traced->tid)
		selfmon_trace_owned_by(traced,
				       selfmon_load_once(&thread->record->tid));
	out_block.head.block = (struct selfmon_trace_block){
		SELFMON_TRACE_VISITS,
		(uint32_t)(sizeof(out_block.head) +
			   count * sizeof(*out_block.entry)),
	};
	out_block.head.ring = thread->record->number;
	out_block.head.tid = traced->tid;
	out_block.head.lost = lost;
	selfmon_trace.lost += lost;
	if (count || lost)
		selfmon_trace_add(&out_block);
}

uint64_t selfmon_trace_settled(const struct selfmon_recorder *recorder,
			       const struct selfmon_traced *traced,
			       uint64_t *least)
{
	uint64_t position, written;
	int i;

	*least = UINT64_MAX;
	for (i = 0; i < SETTLE_TRIES; i++) {
		written = __atomic_load_n(&recorder->written, __ATOMIC_ACQUIRE);
		position =
			__atomic_load_n(&recorder->position, __ATOMIC_ACQUIRE);
		if (position - written == traced->unwritten)
			return position;
		if (position - written < *least)
			*least = position - written;
	}
	return UINT64_MAX;
}

/*
 * If a handler interrupts the writing of an entry and jumps out, the entry is
 * never written. This is assumed after UNSETTLED_MAX calls at which the
 * thread had reserved new entries since the previous call, if no reading in
 * between found all entries written. Then all unread entries are skipped and,
 * without longer=, counted as lost. From then on `least` unwritten entries are
 * expected.
 */
void selfmon_trace_unsettled(const struct selfmon_thread *thread,
			     uint64_t least)
{
	const struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_traced *const traced = recorder->trace;
	const uint64_t position = selfmon_load_once(&recorder->position);

	if (position != traced->position)
		traced->unsettled++;
	traced->position = position;
	if (traced->unsettled < UNSETTLED_MAX)
		return;
	write_block(thread, 0,
		    selfmon_trace.bursts ? 0 : position - traced->read);
	/* The entry of a new owner may be among those skipped. */
	if (selfmon_trace.bursts)
		traced->tid = 0;
	traced->read = position;
	traced->looked = position;
	traced->unwritten = least;
	traced->unsettled = 0;
}

void selfmon_trace_write_entries(struct selfmon_thread *thread, uint64_t to)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_traced *const traced = recorder->trace;

	while (traced->read < to) {
		uint64_t lost, n;
		uint32_t copied;

		n = copy_entries(recorder, traced->read, to, &lost, &copied);
		if (copied && traced->read + n < to)
			n -= copied - whole_groups(copied);
		copied = (uint32_t)(n - lost);
		traced->read += n;
		selfmon_trace.entries += copied;
		write_block(thread, choose_entries(traced, copied), lost);
	}
}

unsigned int selfmon_trace_read_ring(struct selfmon_thread *thread)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_traced *const traced = recorder->trace;
	const uint64_t from = traced->read;
	uint64_t least;
	const uint64_t to = selfmon_trace_settled(recorder, traced, &least);

	if (to == UINT64_MAX) {
		selfmon_trace_unsettled(thread, least);
		return 0;
	}
	traced->unsettled = 0;
	selfmon_trace_write_entries(thread, to);
	return (unsigned int)((to - from) * 256 / (recorder->mask + 1));
}

bool selfmon_trace_begin_ring(struct selfmon_process *process,
			      struct selfmon_recorder *recorder)
{
	if (!recorder->trace) {
		selfmon_process_lock(process);
		__atomic_store_n(&recorder->trace,
				 selfmon_memory_wiped(sizeof(*recorder->trace)),
				 __ATOMIC_RELEASE);
		selfmon_process_unlock(process);
	}
	return recorder->trace;
}

unsigned int selfmon_trace_read_rings(void)
{
	struct selfmon_process *const process = selfmon_process_made();
	struct selfmon_thread *thread;
	unsigned int fullest = 0, full;

	if (!process)
		return 0;
	selfmon_trace_write_due_clock();
	selfmon_trace_write_columns(process);
	thread = __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	for (; thread; thread = thread->next) {
		if (!thread->recorder || !thread->recorder->traced ||
		    !selfmon_trace_begin_ring(process, thread->recorder))
			continue;
		full = selfmon_trace_read_ring(thread);
		if (full > fullest)
			fullest = full;
	}
	selfmon_trace_write_due_names(process);
	return fullest;
}
