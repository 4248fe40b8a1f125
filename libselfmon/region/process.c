/* SPDX-License-Identifier: MIT */
/*
 * The process's state: found or made without a lock, since the lock is in it.
 *
 * It lies in memory of its own that a forked child finds wiped; a child sees
 * ready == 0 and starts it afresh. Kernels that cannot wipe are helped by
 * pthread_atfork(3), which a raw clone(2) does not run.
 */
#include "region/process.h"

#include "clock/clock.h"
#include "counters/held.h"
#include "counters/set.h"
#include "platform/cancel.h"
#include "platform/kernel.h"
#include "platform/put.h"
#include "region/live.h"
#include "region/unload.h"

/* Written once; the address is kept by children. */
static struct selfmon_process *the_process;
/* Was it ever ready? Ordinary memory: tells a child from a first start. */
static uint32_t was_ready;

static void child_without_wipe(void)
{
	struct selfmon_process *const process = the_process;

	if (!process)
		return;
	selfmon_memory_forked();
	__builtin_memset(process, 0, sizeof(*process));
	process->unwiped = true;
}

static struct selfmon_process *process_map(void)
{
	struct selfmon_process *expected = NULL;
	struct selfmon_process *process;
	void *memory = NULL;
	bool unwiped = false;

	if (selfmon_kernel_map_memory(sizeof(*process), true, &memory)) {
		unwiped = true;
		if (selfmon_kernel_map_memory(sizeof(*process), false, &memory))
			return NULL;
	}
	process = memory;
	process->unwiped = unwiped;
	if (!__atomic_compare_exchange_n(&the_process, &expected, memory, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		selfmon_kernel_unmap_memory(memory, sizeof(*expected));
		return expected;
	}
	if (unwiped)
		pthread_atfork(NULL, NULL, child_without_wipe);
	return process;
}

/* Of the thread that holds the lock, and what it goes on with. */
static struct selfmon_thread *holder;
static struct selfmon_cancel holder_cancel;
static struct selfmon_signals holder_signals;

/*
 * Signals wait: a handler that interrupted the holder and came here too would
 * wait for ever, and one that jumped out would leave the lock held. The handler
 * of a fault, which does not wait, finds a busy thread. Nor may a thread be
 * cancelled here (asynchronously): nobody would ever unlock.
 *
 * Zeroed memory is an unlocked mutex with the C libraries of Linux.
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

/* The calling thread goes on with this state. */
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

/*
 * What is switched off pays for no clock: choosing one asks the processor,
 * which a hypervisor may answer, and reads a file.
 */
void selfmon_process_begin(struct selfmon_process *process)
{
	if (process->start_ticks)
		return;
	selfmon_put_remember();
	selfmon_clock_anchor();
	process->start_ticks = selfmon_clock_ticks();
	process->start_cpu_ns = selfmon_kernel_process_cpu_ns();
}

static void process_start(struct selfmon_process *process)
{
	const bool forked = selfmon_load_once(&was_ready);

	selfmon_memory_start(!process->unwiped);
	if (forked && !process->unwiped)
		selfmon_memory_forked();
	if (forked) {
		selfmon_thread_forked();
		selfmon_live_forked();
		selfmon_held_begin();
		selfmon_guard_forked();
	}
	process->forked = forked;
	process->pid = (int32_t)selfmon_kernel_pid();
	if (!forked)
		selfmon_config_environment();
	if (selfmon_load_once(&selfmon_impl_on))
		selfmon_process_begin(process);
	selfmon_store_once(&was_ready, 1);
	__atomic_store_n(&process->ready, 1, __ATOMIC_RELEASE);
}

struct selfmon_process *selfmon_process(void)
{
	struct selfmon_process *process =
		__atomic_load_n(&the_process, __ATOMIC_ACQUIRE);

	if (!process && !selfmon_has_ended())
		process = process_map();
	if (!process || __atomic_load_n(&process->ready, __ATOMIC_ACQUIRE))
		return process;
	selfmon_process_lock(process);
	if (!process->ready)
		process_start(process);
	selfmon_process_unlock(process);
	return process;
}

bool selfmon_process_leaving(void)
{
	const struct selfmon_process *process =
		__atomic_load_n(&the_process, __ATOMIC_ACQUIRE);

	return process &&
	       __atomic_load_n(&process->leaving, __ATOMIC_ACQUIRE) > 0;
}

bool selfmon_process_visited(void)
{
	const struct selfmon_process *process =
		__atomic_load_n(&the_process, __ATOMIC_ACQUIRE);

	return process && process->choice != SELFMON_CHOICE_NONE;
}
