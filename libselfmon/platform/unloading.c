/* SPDX-License-Identifier: MIT */
/*
 * Tells the end of a library that is unloaded, linked into a plugin, from that
 * of the program.
 *
 * A destructor alone cannot tell the two ends apart, and at the program's end
 * other threads may still be in regions. A handler of atexit(3) can: exit(3)
 * runs it before the destructors of any object (glibc elf/dl-fini.c is the
 * first handler registered and so the last run), and dlclose(3) after those
 * that have no priority, by __cxa_finalize() (gcc libgcc/crtstuff.c,
 * __do_global_dtors_aux, the first of .fini_array and so the last run).
 */
#include "platform/unloading.h"

#include <stdlib.h>

static bool watched;   /* the handler is there */
static bool exiting;   /* and has been run */
static bool unloading;

static void note_exit(void)
{
	exiting = true;
}

/* Two handlers, of threads that come at the same moment, do no harm. */
void selfmon_unload_watch(void)
{
	if (!__atomic_load_n(&watched, __ATOMIC_RELAXED) &&
	    atexit(note_exit) == 0)
		__atomic_store_n(&watched, true, __ATOMIC_RELAXED);
}

__attribute__((destructor)) static void note_unload(void)
{
	unloading = watched && !exiting;
}

bool selfmon_unload_is_now(void)
{
	return unloading;
}
