/* SPDX-License-Identifier: MIT */
/*
 * Detached spans measure how long work takes that is not a call: a request of a
 * server, a job in a queue, a coroutine, a statement that stays open.
 *
 *	struct selfmon_region *const request = selfmon_region("request");
 *
 *	selfmon_async_begin(request, &connection->span);
 *	...                                  any thread, any order, any number
 *	selfmon_async_end(&connection->span);
 *
 * A span is not part of the call tree: it has no parent and no children, and
 * does not affect regions that run meanwhile. It has wall time, bytes and
 * items, and no counters. Reports list spans in a section of their own: how
 * many ended, how many of these on another thread, how many are open now, and
 * their times.
 *
 * Threads: a span may end on another thread than the one that began it. Only
 * one thread at a time may use a span. No synchronisation is needed in addition
 * to what the program does to hand the work over. All spans are measured:
 * SELFMON_EVERY does not apply.
 *
 * Signal handlers may begin and end spans after selfmon_thread_prepare(). A
 * thread's first span of a region may then only be counted. A handler that
 * interrupted the end of a span must not end that span.
 *
 * fork: a span that began before fork(2) ends in the parent. If the child ends
 * it too, nothing is recorded there, and the end is counted with the leaves of
 * closed visits.
 *
 * Frames of a game, or iterations of a loop, are spans between two marks:
 *
 *	selfmon_frame_mark(NULL);            at the end of each frame
 *
 * With SELFMON_DISABLE defined these calls compile to nothing.
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_ASYNC_H
#define SELFMON_ASYNC_H

#include "region.h"

SELFMON_C_BEGIN

/*
 * A span, which the caller allocates: 48 bytes, aligned to 8. The members are
 * private, but the size is fixed. Nothing in the library points to a span, so
 * it may be moved. The memory may also be freed without ending the span; the
 * report then counts the span as open for ever. A copy represents the same
 * span: end only one of them. If all members are 0, the span has ended.
 */
struct selfmon_async_span {
	void *node;	       /* NULL: has ended, or is not measured */
	uint64_t thread;       /* id of the thread that began it, and flags */
	uint64_t start;	       /* ticks */
	uint64_t bytes, items; /* valid with SELFMON_IMPL_ASYNC_WORK */
	uint64_t reserved;
};

#ifndef SELFMON_DISABLE

#define SELFMON_IMPL_ASYNC_WORK UINT64_C(1)

SELFMON_API void selfmon_impl_async_begin(struct selfmon_site *site,
					  struct selfmon_async_span *span);
SELFMON_API void selfmon_impl_async_end(struct selfmon_async_span *span);

/*
 * Begins a span of a region from selfmon_region(). *span may be uninitialised.
 * If *span contains an open span, the open span is dropped. If handle is NULL,
 * if regions are off, or if the span cannot be measured, *span is marked as
 * ended. Opens no counters. Thread-safe; async-signal-safe after
 * selfmon_thread_prepare().
 */
SELFMON_ALWAYS_INLINE void selfmon_async_begin(struct selfmon_region *handle,
					       struct selfmon_async_span *span)
{
	if (selfmon_likely(handle && selfmon_load_once(&selfmon_impl_on)))
		selfmon_impl_async_begin((struct selfmon_site *)(void *)handle,
					 span);
	else
		span->node = NULL;
}

/*
 * Ends the span, on any thread. Ending the same object again does nothing. A
 * span that began while regions were on is recorded even if they are off now. A
 * span that began before a fork is not recorded in the child. Opens no
 * counters. Thread-safe; async-signal-safe after selfmon_thread_prepare().
 */
SELFMON_ALWAYS_INLINE void selfmon_async_end(struct selfmon_async_span *span)
{
	if (selfmon_likely(span->node != NULL))
		selfmon_impl_async_end(span);
}

/*
 * Sets bytes and items to 0 before the span first counts one of them. Until
 * then both are uninitialised.
 */
SELFMON_INLINE void selfmon_impl_async_work(struct selfmon_async_span *span)
{
	if (span->thread & SELFMON_IMPL_ASYNC_WORK)
		return;
	span->thread |= SELFMON_IMPL_ASYNC_WORK;
	span->bytes = span->items = 0;
}

/*
 * Adds n bytes, or n items (whatever the program processes), to an open span.
 * The report divides the span's time by them. If a span never ends, its bytes
 * and items are not recorded. Async-signal-safe.
 */
SELFMON_INLINE void selfmon_async_bytes(struct selfmon_async_span *span,
					uint64_t n)
{
	selfmon_impl_async_work(span);
	span->bytes += n;
}

SELFMON_INLINE void selfmon_async_items(struct selfmon_async_span *span,
					uint64_t n)
{
	selfmon_impl_async_work(span);
	span->items += n;
}

/*
 * Marks the end of a frame, and the start of the next. A frame is the time
 * between two successive marks of this name in this thread. A mark takes one
 * timestamp for both, so frames have neither gaps nor overlaps. The first mark
 * of a thread only starts a frame. name: NULL or "" is "frame"; the name is
 * copied. A frame is not a scope: regions may be open at a mark.
 *
 * A frame has wall time and no counters. Reports list frames in a section of
 * their own, with frames per second. With SELFMON_RECORD=slowest the slowest
 * frames are kept with the visits that ended in them, and with @offcpu the
 * times off the CPU.
 *
 * A thread may mark up to 8 names. Marks of further names are counted as not
 * measured, and the report has a note. If regions are switched off, the current
 * frame is dropped, and the next mark with regions on only starts a frame. A
 * forked child also begins without a frame. A mark in a fiber belongs to the
 * thread that runs the fiber. All frames are measured: SELFMON_EVERY does not
 * apply.
 *
 * Takes about as many instructions as a region, and a lock at a name's first
 * mark. A thread's first mark opens its counters, as its first region does.
 * Thread-safe. Async-signal-safe after the thread's first mark of that name. If
 * a handler interrupts a mark and marks the same name, the two marks may count
 * as one. If a handler jumps out of a mark, the frame may be missing.
 */
SELFMON_API void selfmon_frame_mark(const char *name);

#else /* SELFMON_DISABLE */

SELFMON_INLINE void selfmon_frame_mark(const char *name)
{
	(void)name;
}

#define selfmon_async_begin(handle, span)                                      \
	((void)sizeof(handle), (void)sizeof(span))
#define selfmon_async_end(span) ((void)sizeof(span))
#define selfmon_async_bytes(span, n) ((void)sizeof(span), (void)sizeof(n))
#define selfmon_async_items(span, n) ((void)sizeof(span), (void)sizeof(n))

#endif /* SELFMON_DISABLE */

SELFMON_C_END

#endif
