/* SPDX-License-Identifier: MIT */
#include "session/thread_state.h"

#include "session/trace_writer.h"
#include "store/live.h"
#include "store/memory.h"
#include "store/process.h"
#include "store/recorder.h"
#include "store/self.h"
#include "store/tree.h"

/*
 * Entries are initialised in steps, since few threads nest deeply, and the
 * first access to each page causes a page fault. A signal handler that
 * interrupts this function initialises the entries that are left, and possibly
 * one entry twice. The handler may also initialise and use further entries,
 * which are free again when the handler returns.
 */
bool selfmon_thread_deepen(struct selfmon_thread *thread)
{
	struct selfmon_visit *const last = thread->last, *open;
	int i;

	if (last == &thread->open[SELFMON_DEPTH_MAX])
		return false;
	for (i = 1; i <= SELFMON_DEPTH_STEP + SELFMON_DEPTH_SLACK; i++) {
		open = last + i;
		if (open->thread) /* may be in use */
			continue;
		selfmon_store_once(&open->mark, SELFMON_MARK_NONE);
		open->known.locks = SELFMON_LOCKS_UNKNOWN;
		open->thread = thread;
	}
	selfmon_compiler_fence();
	selfmon_store_once(&thread->last, last + SELFMON_DEPTH_STEP);
	return true;
}

/*
 * The sentinel below the first entry needs only a mark, and the root as its
 * node. Without a live file, its other members are replaced by the beginning of
 * the thread's state, which is then in the same cache line as the mark.
 */
struct sentinel {
	uint64_t mark;
	struct selfmon_thread thread;
};

_Static_assert(offsetof(struct sentinel, mark) ==
			       offsetof(struct selfmon_visit, mark) &&
		       offsetof(struct sentinel, thread.root) ==
			       offsetof(struct selfmon_visit, node) &&
		       sizeof(struct sentinel) <= sizeof(struct selfmon_visit),
	       "the sentinel has the layout of an entry");
_Static_assert(offsetof(struct sentinel, thread.stack_low) == SELFMON_LINE,
	       "a usual visit uses one cache line of the state");

/*
 * Allocates the state. If the record is in the live file, the state is
 * allocated separately: a forked child does not have the file's pages, but must
 * be able to access the state.
 */
static struct selfmon_thread *make_room(struct selfmon_thread_record *live)
{
	struct selfmon_thread_record *record = live;
	struct selfmon_visit *sentinel;
	struct selfmon_thread *thread;

	if (!live)
		record = selfmon_memory_wiped(sizeof(*record));
	if (!record)
		return NULL;
	sentinel =
		live ? selfmon_memory_wiped(sizeof(*sentinel)) : record->open;
	if (!sentinel)
		return NULL;
	thread = &((struct sentinel *)(void *)sentinel)->thread;
	thread->live = live;
	thread->record = record;
	thread->open = record->open;
	return thread;
}

/*
 * Makes a state that reports show, with the same number as its record in the
 * live file. If there is no memory for the state, its record in the file still
 * uses up a number, because the file's reader expects consecutive numbers.
 */
static struct selfmon_thread *seen_room(struct selfmon_process *process)
{
	struct selfmon_thread_record *const live = selfmon_live_take(
		process, SELFMON_RECORD_THREAD, sizeof(*live));
	struct selfmon_thread *thread;

	if (live) {
		live->number = process->states;
		selfmon_live_publish(process, &live->record);
	}
	thread = make_room(live);
	if (thread)
		thread->record->number = process->states;
	process->states += thread || live;
	return thread;
}

/*
 * Allocates the recorder. `seen` is false for the state of a calibration, whose
 * visits must not be in reports and traces. A recorder that is needed only to
 * report long visits to the program (selfmon_options.longer) has a ring of one
 * entry, which is never read.
 */
static struct selfmon_recorder *make_recorder(bool seen)
{
	const struct selfmon_config *const config = selfmon_config();
	const size_t ring = selfmon_trace_ring();
	const size_t entries =
		ring && seen ? ring / sizeof(struct selfmon_ended)
		: config->record ? SELFMON_RECORDER_ENTRIES
				 : 1;
	struct selfmon_recorder *recorder = NULL;

	if (config->record || ring || config->longer)
		recorder = selfmon_memory_wiped(selfmon_recorder_size(entries));
	if (!recorder)
		return NULL;
	recorder->mask = entries - 1;
	recorder->traced = ring && seen;
	recorder->review_at = recorder->traced ? UINT64_MAX
					       : SELFMON_RECORDER_ENTRIES;
	return recorder;
}

struct selfmon_thread *selfmon_thread_make(struct selfmon_process *process,
					   bool seen)
{
	struct selfmon_thread *const thread =
		seen ? seen_room(process) : make_room(NULL);

	if (!thread)
		return NULL;
	thread->seen = seen;
	thread->recorder = make_recorder(seen);
	thread->copy = selfmon_memory_wiped(sizeof(*thread->copy));
	if (!thread->copy || selfmon_tree_init(process, thread))
		return NULL;
	thread->open->mark = SELFMON_MARK_NONE;
	thread->open->node = thread->root;
	thread->last = thread->open;
	thread->top = thread->open;
	selfmon_thread_deepen(thread);
	return thread;
}
