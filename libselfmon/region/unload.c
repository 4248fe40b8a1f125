/* SPDX-License-Identifier: MIT */
/*
 * The end of the library itself, where that is not the program's: linked into
 * a plugin, it is unloaded with it, and gives everything back.
 *
 * A destructor alone cannot tell the two ends apart, and at the program's end
 * other threads may still be in regions. A handler of atexit(3) can: exit(3)
 * runs it before the destructors of any object (glibc elf/dl-fini.c is the
 * first handler registered and so the last run), and dlclose(3) after those
 * that have no priority, by __cxa_finalize() (gcc libgcc/crtstuff.c,
 * __do_global_dtors_aux, the first of .fini_array and so the last run).
 */
#include <stdlib.h>

#include "clock/page_clock.h"
#include "counters/held.h"
#include "platform/fault.h"
#include "platform/fork.h"
#include "platform/kernel.h"
#include "region/live.h"

#define WAIT_NS 100000
#define WAITS 10000

static bool watched;   /* the handler is there */
static bool exiting;   /* and has been run */
static bool unloading;

static void note_exit(void)
{
	exiting = true;
}

void selfmon_unload_watch(void)
{
	watched = atexit(note_exit) == 0;
}

__attribute__((destructor)) static void note_unload(void)
{
	unloading = watched && !exiting;
}

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

void selfmon_unload_release(void)
{
	struct selfmon_process *const process = selfmon_process_take_away();
	struct selfmon_thread *thread;

	selfmon_thread_none();
	selfmon_clock_page_close();
	if (!process || !wait_for_leavers(process))
		return;
	for (thread = process->threads; thread; thread = thread->next)
		selfmon_counters_close(thread->set);
	selfmon_held_release();
	selfmon_fault_release();
	selfmon_fork_release();
	selfmon_live_release(process);
	selfmon_kernel_unmap_memory(process, sizeof(*process));
	selfmon_memory_release();
}

void selfmon_unload(void)
{
	selfmon_thread_forget();
	if (unloading)
		selfmon_unload_release();
}
