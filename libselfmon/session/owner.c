/* SPDX-License-Identifier: MIT */
/*
 * Assigns states to threads. When a thread ends, the next new thread gets its
 * state, together with the statistics in it. So memory is limited by the number
 * of threads alive at once. With the option "threads" of an output the first
 * states are not reused, so that a report can show these threads one by one.
 */
#include "session/owner.h"

#include <stdio.h>
#include <string.h>

#include "clock/clock.h"
#include "platform/fork.h"
#include "platform/kernel.h"
#include "session/thread_state.h"
#include "store/config.h"
#include "store/live.h"
#include "store/process.h"
#include "store/recorder.h"
#include "store/self.h"

/* Returns true if this state is not reused after its first owner ends. */
static bool is_kept_apart(uint32_t number)
{
	return selfmon_config()->threads && number < SELFMON_THREADS_APART;
}

static struct selfmon_thread *adopt(struct selfmon_process *process)
{
	struct selfmon_thread *const thread = process->idle;

	if (thread)
		process->idle = thread->idle;
	return thread;
}

static struct selfmon_thread *make_state(struct selfmon_process *process)
{
	struct selfmon_thread *const thread = selfmon_thread_make(process, true);

	if (!thread)
		return NULL;
	thread->next = process->threads;
	/* Release: pairs with readers that walk the list without a lock. */
	__atomic_store_n(&process->threads, thread, __ATOMIC_RELEASE);
	return thread;
}

/*
 * Notes the name of the calling thread, if it is the owner. Takes two system
 * calls, and only if a report may show the name.
 */
static void note_name(struct selfmon_thread *thread)
{
	struct selfmon_thread_record *const record = thread->record;

	if (!thread->live && !is_kept_apart(record->number))
		return;
	if (record->tid == (uint32_t)selfmon_kernel_tid())
		selfmon_kernel_thread_name(record->name);
}

static void count_in(struct selfmon_process *process,
		     struct selfmon_thread *thread)
{
	struct selfmon_thread_record *const record = thread->record;

	thread->taken = 1;
	selfmon_store_once(&record->tid, (uint32_t)selfmon_kernel_tid());
	selfmon_store_once(&record->owners, record->owners + 1);
	note_name(thread);
	selfmon_recorder_owner(thread, selfmon_clock_ticks());
	process->attached++;
	thread->id = SELFMON_THREAD_ID(selfmon_fork_token(), process->attached);
	process->alive++;
	if (process->alive > process->alive_max)
		process->alive_max = process->alive;
}

struct selfmon_thread *selfmon_thread_own(struct selfmon_process *process)
{
	struct selfmon_thread *thread = adopt(process);

	if (!thread)
		thread = make_state(process);
	if (thread)
		count_in(process, thread);
	return thread;
}

/* Programs name threads after they begin, so the name at the end is noted. */
void selfmon_thread_disown(struct selfmon_process *process,
			   struct selfmon_thread *thread)
{
	thread->taken = 0;
	note_name(thread);
	if (thread->record->tid == (uint32_t)selfmon_kernel_tid())
		selfmon_recorder_name(thread);
	if (is_kept_apart(thread->record->number))
		return;
	thread->idle = process->idle;
	process->idle = thread;
}

/*
 * The thread may have been renamed since, by itself or by another thread. If it
 * has ended, or if its number now belongs to another thread, the last known
 * name is kept.
 */
void selfmon_thread_look_up_name(const struct selfmon_process *process,
				 struct selfmon_thread *thread)
{
	struct selfmon_thread_record *const record = thread->record;
	char path[64], name[SELFMON_THREAD_NAME + 1];

	if (!thread->taken || !is_kept_apart(record->number))
		return;
	snprintf(path, sizeof(path), "/proc/%ld/task/%lu/comm",
		 (long)process->pid, (unsigned long)record->tid);
	if (selfmon_kernel_read_file(path, name, sizeof(name)) < 0)
		return;
	name[SELFMON_THREAD_NAME - 1] = '\0';
	memcpy(record->name, name, sizeof(record->name));
}
