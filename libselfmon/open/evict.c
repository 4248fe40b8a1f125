/* SPDX-License-Identifier: MIT */
/*
 * Eviction: if all entries are in use, ends the oldest spans. Otherwise spans
 * that are never left would prevent further visits. A program that abandons a
 * span for each request evicts all the time. Therefore several spans are
 * evicted at once, and all entries above them move in one pass.
 *
 * A signal handler that evicts may have interrupted an enter. The entry of this
 * enter then moves, but the interrupted code still writes the start of the
 * visit to the old entry. selfmon_evict_start() copies the start to the new
 * entry.
 */
#include "open/evict.h"

#include "open/entry.h"
#include "open/take_out.h"
#include "open/unwind.h"
#include "platform/kernel.h"
#include "store/self.h"
#include "store/state.h"

#define EVICTED_AT_ONCE 16

/*
 * Returns true if this code runs in a signal handler that interrupted an enter
 * or a leave: an entry has no mark, or the statistics are being updated.
 */
static bool interrupts(const struct selfmon_thread *thread)
{
	const struct selfmon_visit *open;

	for (open = thread->open + 1; open <= thread->top; open++)
		if (!selfmon_entry_is_open(open))
			return true;
	return thread->top->node->stats->sequence & 1;
}

static struct selfmon_visit *oldest_span(const struct selfmon_thread *thread)
{
	struct selfmon_visit *open;

	for (open = thread->open + 1; open <= thread->top; open++)
		if (selfmon_entry_is_span(open))
			return open;
	return NULL;
}

static void evict_from(struct selfmon_thread *thread,
		       struct selfmon_visit *oldest)
{
	struct selfmon_visit *open = oldest;
	unsigned int n = 0;

	for (; open <= thread->top && n < EVICTED_AT_ONCE; open++) {
		if (!selfmon_entry_is_span(open))
			continue;
		selfmon_unwind_end(open);
		n++;
	}
	selfmon_arch_add(&thread->record->evicted, n);
	selfmon_take_out_ended(thread, oldest);
}

/*
 * After a search that finds no span, thread->lexical is the start of the newest
 * visit. Deep recursion calls this function often, and should search only once.
 */
bool selfmon_evict(struct selfmon_thread *thread, bool insist)
{
	const uint64_t newest = thread->top->start.ticks;
	struct selfmon_visit *oldest = NULL;
	struct selfmon_signals signals;

	if (newest && newest == thread->lexical)
		return true;
	selfmon_thread_busy(thread, &signals);
	if (insist || !interrupts(thread)) {
		oldest = oldest_span(thread);
		thread->lexical = oldest ? 0 : newest;
		if (oldest)
			evict_from(thread, oldest);
	}
	selfmon_thread_idle(thread, &signals);
	return oldest;
}

/*
 * The visit's start is in the old entry `first` if `first` is free and still
 * has the same frame. A resumed visit needs no copy: its start is complete, and
 * its frame may point to an entry of another thread.
 */
void selfmon_evict_start(const struct selfmon_thread *thread,
			 const struct selfmon_visit *first)
{
	struct selfmon_visit *const open = thread->top;

	if (selfmon_entry_is_resumed(open) || first <= open ||
	    first->frame != open->frame)
		return;
	open->cpu = first->cpu;
	open->known = first->known;
	open->start = first->start;
	open->rest = first->rest;
}
