/* SPDX-License-Identifier: MIT */
/*
 * The state of the process. It is found or made without a lock, since the lock
 * is a part of it.
 *
 * The state is in a mapping of its own, which the kernel wipes in a forked
 * child. The child finds ready == 0 and starts again. On kernels that cannot
 * wipe memory, a pthread_atfork(3) handler wipes it, but a raw clone(2) does
 * not run such handlers.
 */
#include "store/process.h"

#include "clock/clock.h"
#include "counters/fd_table.h"
#include "counters/guard.h"
#include "counters/set.h"
#include "platform/kernel.h"
#include "platform/output.h"
#include "store/config.h"
#include "store/live.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/self.h"
#include "store/trace_file.h"

/* True once the library has ended: no new state is made. */
static bool ended;
/* Written once. A forked child has the same address. */
static struct selfmon_process *the_process;
/*
 * Set once the state is ready. In memory that fork() copies, so that a forked
 * child can be distinguished from a new process.
 */
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

/*
 * Starts the clock. Called only if something is measured: choosing a clock
 * reads a file, and executes CPUID, which may trap to a hypervisor.
 */
void selfmon_process_begin(struct selfmon_process *process)
{
	if (process->start_ticks)
		return;
	selfmon_output_remember();
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
		selfmon_trace_file_forked();
		selfmon_config()->traced = false;
		selfmon_fd_table_begin();
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

bool selfmon_process_has_ended(void)
{
	return selfmon_load_once(&ended);
}

void selfmon_process_end(void)
{
	selfmon_store_once(&ended, true);
	selfmon_store_once(&selfmon_impl_on, 0);
}

struct selfmon_process *selfmon_process(void)
{
	struct selfmon_process *process =
		__atomic_load_n(&the_process, __ATOMIC_ACQUIRE);

	if (!process && !selfmon_process_has_ended())
		process = process_map();
	if (!process || __atomic_load_n(&process->ready, __ATOMIC_ACQUIRE))
		return process;
	selfmon_process_lock(process);
	if (!process->ready)
		process_start(process);
	selfmon_process_unlock(process);
	return process;
}

struct selfmon_process *selfmon_process_made(void)
{
	return __atomic_load_n(&the_process, __ATOMIC_ACQUIRE);
}

bool selfmon_process_leaving(void)
{
	const struct selfmon_process *process = selfmon_process_made();

	return process &&
	       __atomic_load_n(&process->leaving, __ATOMIC_ACQUIRE) > 0;
}

bool selfmon_process_visited(void)
{
	const struct selfmon_process *process = selfmon_process_made();

	return process &&
	       (process->choice != SELFMON_CHOICE_NONE ||
		__atomic_load_n(&process->threads, __ATOMIC_ACQUIRE));
}
