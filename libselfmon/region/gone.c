/* SPDX-License-Identifier: MIT */
/*
 * Threads that ended without a word: no destructor ran, as after SYS_exit, or
 * where all keys of the C library are the host's; or one that ran later visited
 * a region, in the last round. Their states and counters would be held for
 * ever, and are looked for when a thread comes that none is free for.
 */
#include "platform/kernel.h"
#include "region/process.h"
#include "region/thread.h"

/*
 * Not each time: a look asks the kernel about each thread that has a state. So
 * many are to have come since the last one, and as many as it found alive: two
 * calls at most for each that comes.
 */
#define LOOK_EVERY 32

/* Under the process lock. */
static bool is_due(const struct selfmon_process *process)
{
	const struct selfmon_looks *const looks = &process->looks;
	const uint64_t since = process->attached - looks->attached;

	return !process->idle && since >= LOOK_EVERY && since >= looks->found;
}

/*
 * A number that another thread has by now is not seen to be gone: its first
 * owner's state waits for a later look.
 */
static bool is_gone(const struct selfmon_process *process,
		    const struct selfmon_thread *thread)
{
	return selfmon_kernel_thread_is_gone(process->pid, (pid_t)thread->tid);
}

/* Under the process lock: they are nobody's from now on, linked by idle. */
static struct selfmon_thread *take_gone(struct selfmon_process *process)
{
	struct selfmon_thread *thread, *gone = NULL;
	uint64_t found = 0;

	for (thread = process->threads; thread; thread = thread->next) {
		if (!thread->taken)
			continue;
		if (!is_gone(process, thread)) {
			found++;
			continue;
		}
		thread->taken = 0;
		thread->idle = gone;
		gone = thread;
	}
	process->looks.attached = process->attached;
	process->looks.found = found;
	/* What they wrote last, before the kernel took their numbers away. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return gone;
}

static void tell(struct selfmon_process *process)
{
	if (process->looks.told)
		return;
	process->looks.told = true;
	selfmon_config_note("threads end that cannot say so (by SYS_exit, or "
			    "as all keys of PTHREAD_KEYS_MAX are in use): that "
			    "is seen later, and fewer may have been alive at "
			    "once than is told");
}

/* Each is ended as by itself: the report lock is taken before the process's. */
void selfmon_gone_find(struct selfmon_process *process)
{
	struct selfmon_thread *gone = NULL, *next;

	selfmon_process_lock(process);
	if (is_due(process))
		gone = take_gone(process);
	if (gone)
		tell(process);
	selfmon_process_unlock(process);
	for (; gone; gone = next) {
		next = gone->idle;
		selfmon_thread_end(process, gone, selfmon_thread_self());
	}
}

void selfmon_gone_tell(struct selfmon_process *process)
{
	selfmon_process_lock(process);
	tell(process);
	selfmon_process_unlock(process);
}
