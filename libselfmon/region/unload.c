/* SPDX-License-Identifier: MIT */
/*
 * The end of the library. A destructor runs at the exit of the process, and
 * when dlclose(3) unloads a plugin with a static copy, and cannot tell the two
 * apart. At exit other threads may still be in regions, so nothing that they
 * use is freed, in either case.
 */
#include "region/unload.h"

#include "clock/page_clock.h"
#include "counters/held.h"
#include "platform/cancel.h"
#include "platform/fault.h"
#include "platform/kernel.h"
#include "region/live.h"

#define WAIT_NS 100000
#define WAITS 10000

static bool ended;

bool selfmon_has_ended(void)
{
	return selfmon_load_once(&ended);
}

/*
 * Code that is about to be unmapped must not be running: threads whose
 * destructor for the key was called before the key was deleted.
 */
static void wait_for_leavers(void)
{
	int i;

	for (i = 0; i < WAITS && selfmon_process_leaving(); i++)
		selfmon_kernel_sleep_ns(WAIT_NS);
}

/*
 * Events stop before the guard goes: a page whose event is disabled sends its
 * reader to read(2), so that no read can fault after that.
 */
void selfmon_unload(void)
{
	selfmon_store_once(&ended, true);
	selfmon_store_once(&selfmon_impl_on, 0);
	selfmon_thread_forget();
	wait_for_leavers();
	selfmon_held_disable();
	selfmon_thread_close();
	selfmon_clock_page_end();
	selfmon_fault_release();
}

/*
 * After all handlers of atexit(3) and all destructors of the object that the
 * library is in, so that regions in them are in the report too: the lowest
 * priority that is not the compiler's own.
 */
__attribute__((destructor(101))) static void at_end(void)
{
	struct selfmon_cancel cancel;

	/* The calling thread may be one that is to be cancelled. */
	selfmon_cancel_off(&cancel);
	selfmon_report_exit();
	selfmon_live_end();
	selfmon_unload();
	selfmon_cancel_restore(&cancel);
}
