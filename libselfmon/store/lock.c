/* SPDX-License-Identifier: MIT */
/* The process lock. It is in memory that is wiped in a forked child. */
#include "store/lock.h"

#include "platform/cancel.h"
#include "store/process.h"
#include "store/self.h"

/*
 * What the holder of the lock had before: its thread state, cancellation and
 * signals. Unlocking restores them.
 */
static struct selfmon_thread *holder;
static struct selfmon_cancel holder_cancel;
static struct selfmon_signals holder_signals;

/*
 * Blocks signals while the lock is held. Otherwise a handler that interrupted
 * the holder and took the lock would deadlock, and a handler that jumped out
 * would leave the lock held. Handlers of faults are not blocked; they find that
 * the thread is busy. Cancellation is disabled as well: a thread that is
 * cancelled asynchronously while it holds the lock would never unlock it.
 *
 * After fork() the mutex is zeroed, which is an unlocked mutex in all C
 * libraries of Linux.
 */
void selfmon_process_lock(struct selfmon_process *process)
{
	struct selfmon_signals signals;
	struct selfmon_thread *thread;
	struct selfmon_cancel cancel;

	selfmon_cancel_off(&cancel);
	selfmon_kernel_block_signals(&signals);
	thread = selfmon_thread_hide();
	selfmon_compiler_fence();
	pthread_mutex_lock(&process->lock);
	holder = thread;
	holder_cancel = cancel;
	holder_signals = signals;
}

/* Unlocks. From now on the calling thread has the state `thread`. */
void selfmon_process_unlock_as(struct selfmon_process *process,
			       struct selfmon_thread *thread)
{
	const struct selfmon_cancel cancel = holder_cancel;
	const struct selfmon_signals signals = holder_signals;

	pthread_mutex_unlock(&process->lock);
	selfmon_compiler_fence();
	selfmon_thread_swap(thread);
	selfmon_kernel_restore_signals(&signals);
	selfmon_cancel_restore(&cancel);
}

void selfmon_process_unlock(struct selfmon_process *process)
{
	selfmon_process_unlock_as(process, holder);
}
