/* SPDX-License-Identifier: MIT */
/*
 * Ends the library: at the exit of the process, or when dlclose(3) unloads a
 * plugin with a static copy. The two cases cannot be distinguished here. At
 * exit other threads may still be in regions, so memory that they use is not
 * freed.
 */
#include "session/end.h"

#include "clock/page_clock.h"
#include "counters/fd_table.h"
#include "platform/fault.h"
#include "platform/kernel.h"
#include "session/drain.h"
#include "session/live_facts.h"
#include "session/thread.h"
#include "store/live.h"
#include "store/lock.h"
#include "store/process.h"

#define WAIT_NS 100000
#define WAITS 10000

/*
 * Waits, for about a second at most, for threads that have started to run
 * thread_exit() of session/thread.c: its code may be unmapped afterwards.
 */
static void wait_for_leavers(void)
{
	int i;

	for (i = 0; i < WAITS && selfmon_process_leaving(); i++)
		selfmon_kernel_sleep_ns(WAIT_NS);
}

static void publish_end(void)
{
	struct selfmon_process *const process = selfmon_process_made();
	struct selfmon_live_counts *counts;

	if (!process)
		return;
	selfmon_process_lock(process);
	counts = selfmon_live_counts(process);
	if (counts) {
		selfmon_facts_publish(process);
		counts->ended = 1;
	}
	selfmon_process_unlock(process);
}

/*
 * The events are disabled before the guard is released: the page of a disabled
 * event makes its readers use read(2), so no counter read can fault afterwards.
 */
void selfmon_unload(void)
{
	selfmon_drain_end();
	publish_end();
	selfmon_process_end();
	selfmon_thread_forget();
	wait_for_leavers();
	selfmon_fd_table_disable();
	selfmon_thread_close();
	selfmon_clock_page_end();
	selfmon_fault_release();
}

