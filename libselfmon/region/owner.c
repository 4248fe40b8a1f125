/* SPDX-License-Identifier: MIT */
/*
 * Which thread has which state. A thread that ends leaves its state, with the
 * statistics in it, to the next one: memory is bounded by how many threads are
 * alive at once. With the option "threads" of an output the first states made
 * are not reused, so that a report can show these threads one by one.
 */
#include <stdio.h>
#include <string.h>

#include "platform/kernel.h"
#include "region/live.h"

/* Does its first owner keep this state? */
static bool is_kept_apart(uint32_t number)
{
	return selfmon_config()->threads && number < SELFMON_THREADS_APART;
}

static uint32_t next_number(const struct selfmon_process *process)
{
	return process->threads ? process->threads->number + 1 : 0;
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
	struct selfmon_thread *const thread = selfmon_thread_make(true);

	if (!thread)
		return NULL;
	thread->number = next_number(process);
	thread->next = process->threads;
	/* Pairs with the reader's walk over the list, which takes no lock. */
	__atomic_store_n(&process->threads, thread, __ATOMIC_RELEASE);
	return thread;
}

/*
 * The calling thread's name, if it is the owner. Two system calls, made only
 * where a report may show the name.
 */
static void note_name(struct selfmon_thread *thread)
{
	if (!thread->live && !is_kept_apart(thread->number))
		return;
	if (thread->tid != (uint32_t)selfmon_kernel_tid())
		return;
	selfmon_kernel_thread_name(thread->name);
	if (thread->live)
		memcpy(thread->live->name, thread->name, sizeof(thread->name));
}

static void count_in(struct selfmon_process *process,
		     struct selfmon_thread *thread)
{
	thread->taken = 1;
	thread->tid = (uint32_t)selfmon_kernel_tid();
	thread->owners++;
	if (thread->live) {
		selfmon_store_once(&thread->live->tid, thread->tid);
		selfmon_store_once(&thread->live->record.owners,
				   thread->owners);
	}
	note_name(thread);
	process->attached++;
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

/* Threads are named after they begin: what they end with counts. */
void selfmon_thread_disown(struct selfmon_process *process,
			   struct selfmon_thread *thread)
{
	thread->taken = 0;
	note_name(thread);
	if (is_kept_apart(thread->number))
		return;
	thread->idle = process->idle;
	process->idle = thread;
}

/*
 * It may have been named since, by another thread as well. One that is gone, or
 * whose number another thread has by now, keeps the name that is known.
 */
void selfmon_thread_look_up_name(const struct selfmon_process *process,
				 struct selfmon_thread *thread)
{
	char path[64], name[SELFMON_THREAD_NAME + 1];

	if (!thread->taken || !is_kept_apart(thread->number))
		return;
	snprintf(path, sizeof(path), "/proc/%ld/task/%lu/comm",
		 (long)process->pid, (unsigned long)thread->tid);
	if (selfmon_kernel_read_file(path, name, sizeof(name)) < 0)
		return;
	name[SELFMON_THREAD_NAME - 1] = '\0';
	memcpy(thread->name, name, sizeof(thread->name));
}
