/* SPDX-License-Identifier: MIT */
/*
 * Fibers: jobs, requests or coroutines with a stack of their own, which the
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
 * and the units of this fiber, and only while it runs. Reports show separately
 * for how long the fiber was suspended. The fiber itself is a visit at the
 * top level of the call tree, with the name given: it begins when the fiber
 * first runs and ends when the fiber is destroyed. The fiber's regions are
 * below it. Fibers of the same name share these rows.
 *
 * A thread's own visits are suspended while it runs a fiber.
 *
 * Threads: a fiber may be resumed by another thread than the one that suspended
 * it. Only one thread at a time may run or destroy a fiber. No synchronisation
 * is needed in addition to what the program does to hand the stack over. Counts
 * stay exact if both threads count the same events. Otherwise the values of
 * visits that are open at that time are lost, and are counted as lost. Between
 * selfmon_fiber_switch() and the switch of stacks no region may begin or end.
 *
 * Signal handlers may interrupt a switch: their visits are then counted, and
 * not measured. Handlers must not call these functions. A handler that jumps
 * out of a switch leaves the thread without open visits: until the thread's
 * next switch, visits are counted, and not measured.
 *
 * fork: the child has none of the fibers. It may pass their handles to these
 * functions, but visits in them are counted, and not measured.
 *
 * If a thread ends while it runs a fiber, the fiber's visits and the thread's
 * own visits are cut off.
 *
 * With SELFMON_DISABLE defined these calls do nothing, but their arguments are
 * evaluated.
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_FIBER_H
#define SELFMON_FIBER_H

SELFMON_C_BEGIN

/* The open visits of one stack. */
struct selfmon_fiber;

#ifndef SELFMON_DISABLE

/*
 * Returns a new fiber, which no thread runs yet. Its rows in the report have
 * this name, which is copied as by selfmon_region(). Returns NULL if regions
 * are off or if there is no memory. NULL may be passed to the functions below:
 * a switch to NULL is a switch to the thread's own stack, and destroying NULL
 * does nothing. Thread-safe, takes a lock; not async-signal-safe. Memory: 896
 * bytes, which later fibers reuse.
 */
SELFMON_API struct selfmon_fiber *selfmon_fiber_create(const char *name);

/*
 * From now on the calling thread runs this fiber, or its own stack if fiber is
 * NULL. Call it directly before the switch of stacks. The call first reads the
 * values that end the old fiber's interval, and last the values that begin the
 * new fiber's interval. Does nothing if the thread already runs this fiber.
 *
 * If another thread runs the fiber, or if it was destroyed, the switch fails:
 * until the thread's next switch, visits are counted and not measured. The
 * report has a note.
 *
 * Takes the library's lock only in the thread's first switch, if the switch
 * fails, if the fiber has open visits at a place in the call tree that is new to
 * this thread, or if it has more open visits than ever before. With @offcpu or
 * samples, also takes the lock of the thread's ring. Thread-safe; not
 * async-signal-safe.
 */
SELFMON_API void selfmon_fiber_switch(struct selfmon_fiber *fiber);

/*
 * Ends the fiber: records its own visit, and cuts off the visits that are still
 * open in it, in the statistics of the calling thread. If that thread runs the
 * fiber, visits are counted and not measured until its next switch. If another
 * thread runs the fiber, only adds a note to the report. Does nothing if fiber
 * is NULL. Thread-safe, takes a lock; not async-signal-safe.
 *
 * The fiber's visits do not include the time since it was last suspended. The
 * calling thread's open visits are suspended during the call.
 */
SELFMON_API void selfmon_fiber_destroy(struct selfmon_fiber *fiber);

#else /* SELFMON_DISABLE */

#define selfmon_fiber_create(name) ((void)(name), (struct selfmon_fiber *)0)
#define selfmon_fiber_switch(fiber) ((void)(fiber))
#define selfmon_fiber_destroy(fiber) ((void)(fiber))

#endif /* SELFMON_DISABLE */

SELFMON_C_END

#endif
