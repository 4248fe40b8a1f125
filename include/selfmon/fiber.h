/* SPDX-License-Identifier: MIT */
/*
 * Fibers: jobs, requests or coroutines with a stack of their own, which a
 * program switches itself (Boost.Context, ucontext, a job system).
 *
 *	struct selfmon_fiber *fiber = selfmon_fiber_create("job");
 *
 *	selfmon_fiber_switch(fiber);      right before the switch to its stack
 *	swapcontext(&scheduler, &job);
 *
 *	selfmon_fiber_switch(NULL);       right before the switch back, to the
 *	swapcontext(&job, &scheduler);    thread's own stack
 *
 *	selfmon_fiber_destroy(fiber);
 *
 * A fiber has open visits of its own. Regions in it count the time, the events
 * and the units of the fiber alone, while it runs. The time that it is
 * suspended is shown beside them. The fiber itself is a visit at the top level
 * of the call tree, with the name given: it begins when the fiber first runs
 * and ends when the fiber is destroyed. Its regions are below it. Fibers of one
 * name share these rows.
 *
 * A thread's own visits are suspended while it runs a fiber.
 *
 * Threads: a fiber may be resumed by another thread than the one that suspended
 * it. One thread at a time may run or destroy it; handing the fiber over, by
 * whatever the program hands its stack over with, is enough. Counts stay exact
 * if both threads count the same events; else the values of visits open at that
 * time are lost, and counted so. Between selfmon_fiber_switch() and the switch
 * of stacks no region may begin or end.
 *
 * Signal handlers may interrupt a switch: their visits are counted, and not
 * measured. They may not call these functions. A handler that jumps out of a
 * switch leaves the thread without open visits: until its next switch, visits
 * are counted, and not measured.
 *
 * fork: the child has none of the fibers. It may pass their handles, but visits
 * there are counted, and not measured.
 *
 * A thread that ends while it runs a fiber cuts off the fiber's visits, and its
 * own.
 *
 * With SELFMON_DISABLE defined these calls compile to nothing.
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_FIBER_H
#define SELFMON_FIBER_H

SELFMON_C_BEGIN

/* The open visits of a stack. */
struct selfmon_fiber;

#ifndef SELFMON_DISABLE

/*
 * Returns a new fiber, which no thread runs yet. name: of its rows; it is
 * copied as by selfmon_region(). Returns NULL if regions are off or without
 * memory; NULL may be passed to the functions below, where it is the thread's
 * own stack. Thread-safe, takes a lock; not async-signal-safe. Memory: 1 KiB,
 * reused by later fibers.
 */
SELFMON_API struct selfmon_fiber *selfmon_fiber_create(const char *name);

/*
 * The calling thread runs this fiber from now on; NULL: its own stack. Call it
 * right before the switch of stacks. The end of the old fiber's values is taken
 * first, and the beginning of the new one's last. Does nothing if the thread
 * runs this fiber already.
 *
 * A fiber that another thread runs, or that was destroyed, is not taken: visits
 * are counted, and not measured, until the thread's next switch. The report has
 * a note on it.
 *
 * Takes no lock, except where the fiber has visits at a place that this thread
 * has not visited yet, or more visits open than ever before. Thread-safe; not
 * async-signal-safe.
 */
SELFMON_API void selfmon_fiber_switch(struct selfmon_fiber *fiber);

/*
 * Ends the fiber: its visit is recorded, and visits that are still open in it
 * are cut off, in the statistics of the calling thread. If that thread runs the
 * fiber, visits are counted, and not measured, until its next switch. A fiber
 * that another thread runs is left alone, with a note in the report. NULL: does
 * nothing. Thread-safe, takes a lock; not async-signal-safe.
 *
 * The time from the fiber's last stop to its end is not its own. The calling
 * thread's open visits are suspended meanwhile.
 */
SELFMON_API void selfmon_fiber_destroy(struct selfmon_fiber *fiber);

#else /* SELFMON_DISABLE */

#define selfmon_fiber_create(name) ((void)(name), (struct selfmon_fiber *)0)
#define selfmon_fiber_switch(fiber) ((void)(fiber))
#define selfmon_fiber_destroy(fiber) ((void)(fiber))

#endif /* SELFMON_DISABLE */

SELFMON_C_END

#endif
