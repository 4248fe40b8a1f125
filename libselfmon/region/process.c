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
#include "platform/kernel.h"
#include "region/thread.h"

/* Written once; the address is kept by children. */
static struct selfmon_process *the_process;
/* Was it ever ready? Ordinary memory: tells a child from a first start. */
static uint32_t was_ready;

static void child_without_wipe(void)
{
	struct selfmon_process *const process = the_process;

	selfmon_memory_forked();
	__builtin_memset(process, 0, sizeof(*process));
}

static struct selfmon_process *process_map(void)
{
	struct selfmon_process *expected = NULL;
	void *memory;
	bool wiped = true;

	if (selfmon_kernel_map_memory(sizeof(*expected), true, &memory)) {
		wiped = false;
		if (selfmon_kernel_map_memory(sizeof(*expected), false,
					      &memory))
			return NULL;
	}
	if (!__atomic_compare_exchange_n(&the_process, &expected, memory, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		selfmon_kernel_unmap_memory(memory, sizeof(*expected));
		return expected;
	}
	if (!wiped)
		pthread_atfork(NULL, NULL, child_without_wipe);
	return memory;
}

/* Zeroed memory is an unlocked mutex with the C libraries of Linux. */
void selfmon_process_lock(struct selfmon_process *process)
{
	struct selfmon_guard guard;

	selfmon_thread_shut(&guard);
	pthread_mutex_lock(&process->lock);
	process->guard = guard;
}

void selfmon_process_unlock(struct selfmon_process *process)
{
	const struct selfmon_guard guard = process->guard;

	pthread_mutex_unlock(&process->lock);
	selfmon_thread_open(&guard);
}

static void process_start(struct selfmon_process *process)
{
	const bool forked = selfmon_load_once(&was_ready);

	if (forked && selfmon_memory_wipes())
		selfmon_memory_forked();
	process->forked = forked;
	selfmon_clock_anchor();
	process->start_ticks = selfmon_clock_ticks();
	if (!forked)
		selfmon_config_environment();
	selfmon_store_once(&was_ready, 1);
	__atomic_store_n(&process->ready, 1, __ATOMIC_RELEASE);
}

struct selfmon_process *selfmon_process(void)
{
	struct selfmon_process *process =
		__atomic_load_n(&the_process, __ATOMIC_ACQUIRE);

	if (!process)
		process = process_map();
	if (!process || __atomic_load_n(&process->ready, __ATOMIC_ACQUIRE))
		return process;
	selfmon_process_lock(process);
	if (!process->ready)
		process_start(process);
	selfmon_process_unlock(process);
	return process;
}

bool selfmon_process_visited(void)
{
	const struct selfmon_process *process =
		__atomic_load_n(&the_process, __ATOMIC_ACQUIRE);

	return process && process->choice != SELFMON_CHOICE_NONE;
}
