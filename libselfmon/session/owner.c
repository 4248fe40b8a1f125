/* SPDX-License-Identifier: MIT */
/*
 * Assigns states to threads. When a thread exits, its state, including the
 * statistics, is reused by the next new thread. So memory is limited by the
 * number of threads that exist at the same time. With the output option
 * "threads" the first states are not reused, so that a report can show these
 * threads one by one.
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

/* Returns true if this state must not be reused after its first owner exits. */
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
	/* Release: readers walk the list without a lock. */
	__atomic_store_n(&process->threads, thread, __ATOMIC_RELEASE);
	return thread;
}

/*
 * Stores the name of the calling thread in the state that it owns. Does so only
 * if a report may show the name, because it takes two system calls.
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

/*
 * Stores the name when the thread exits, because programs name threads after
 * they have started.
 */
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
 * If the process no longer has a thread with this id, keeps the last known
 * name.
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
