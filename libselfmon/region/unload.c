/* SPDX-License-Identifier: MIT */
/*
 * The end of the library itself, where that is not the program's: linked into
 * a plugin, it is unloaded with it, and gives everything back.
 */
#include "clock/page_clock.h"
#include "counters/held.h"
#include "platform/fault.h"
#include "platform/fork.h"
#include "platform/kernel.h"
#include "platform/unloading.h"
#include "region/live.h"

#define WAIT_NS 100000
#define WAITS 10000

/* Threads that end at this very moment are closing their counters. */
static bool wait_for_leavers(const struct selfmon_process *process)
{
	int i;

	for (i = 0; i < WAITS; i++) {
		if (__atomic_load_n(&process->leaving, __ATOMIC_ACQUIRE) == 0)
			return true;
		selfmon_kernel_sleep_ns(WAIT_NS);
	}
	return false;
}

static void release_process(struct selfmon_process *process)
{
	selfmon_live_release(process);
	selfmon_kernel_unmap_memory(process, sizeof(*process));
	selfmon_memory_release();
}

/* There is no process where counter sets alone were used. */
void selfmon_unload_release(void)
{
	struct selfmon_process *const process = selfmon_process_take_away();
	struct selfmon_thread *thread;

	selfmon_thread_none();
	selfmon_clock_page_close();
	selfmon_fault_release();
	if (process && !wait_for_leavers(process))
		return;
	for (thread = process ? process->threads : NULL; thread;
	     thread = thread->next)
		selfmon_counters_close(thread->set);
	selfmon_held_release();
	selfmon_fork_release();
	if (process)
		release_process(process);
}

void selfmon_unload(void)
{
	selfmon_thread_forget();
	if (selfmon_unload_is_now())
		selfmon_unload_release();
}
