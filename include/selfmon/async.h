/* SPDX-License-Identifier: MIT */
/*
 * Detached spans: how long work takes that is not a call. A request of a
 * server, a job in a queue, a coroutine, a statement that stays open.
 *
 *	struct selfmon_region *const request = selfmon_region("request");
 *
 *	selfmon_async_begin(request, &connection->span);
 *	...                                  any thread, any order, any number
 *	selfmon_async_end(&connection->span);
 *
 * A span is not part of the call tree: it has no parent and no children, and
 * regions that run meanwhile do not know of it. It has wall time, bytes and
 * items, and no counters. Reports list spans in a section of their own: how
 * many ended, how many of these on another thread, how many are open now, and
 * their times.
 *
 * Threads: a span may end on another thread than it began on. One thread at a
 * time may use it; handing the object over, by whatever the program hands its
 * work over with, is enough. All spans are measured: SELFMON_EVERY does not
 * apply.
 *
 * Signal handlers may begin and end spans after selfmon_thread_prepare(). A
 * thread's first span of a region may then only be counted. A handler must not
 * end the span whose end it interrupted.
 *
 * fork: a span that began before fork(2) ends in the parent. Its end in the
 * child records nothing and is counted with the leaves of closed visits.
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
 * A span, allocated by the caller: 48 bytes, aligned to 8. Private, but with a
 * fixed size. Nothing in the library points to it. It may be moved, and it may
 * be dropped without an end, which costs nothing and leaves it counted as open.
 * A copy is the same span: end one of the two. All zero: a span that has ended.
 */
struct selfmon_async_span {
	void *node;	       /* NULL: ended, or not measured */
	uint64_t thread;       /* that began it; SELFMON_IMPL_ASYNC_WORK */
	uint64_t start;	       /* ticks */
	uint64_t bytes, items; /* not set yet without _WORK */
	uint64_t reserved;
};

#ifndef SELFMON_DISABLE

#define SELFMON_IMPL_ASYNC_WORK UINT64_C(1)

SELFMON_API void selfmon_impl_async_begin(struct selfmon_site *site,
					  struct selfmon_async_span *span);
SELFMON_API void selfmon_impl_async_end(struct selfmon_async_span *span);

/*
 * Begins a span of a region from selfmon_region(). *span need not be
 * initialised; a span that is still open in it is dropped. If handle is NULL,
 * regions are off, or the span cannot be measured, *span is marked as ended.
 * Opens no counters. Thread-safe; async-signal-safe after
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
 * Ends the span, on any thread. A second end of the same object does nothing.
 * A span that began while regions were on is recorded even if they are off
 * now. Opens no counters. Thread-safe; async-signal-safe after
 * selfmon_thread_prepare().
 */
SELFMON_ALWAYS_INLINE void selfmon_async_end(struct selfmon_async_span *span)
{
	if (selfmon_likely(span->node != NULL))
		selfmon_impl_async_end(span);
}

/* Spans without work need not clear the two words, nor look at them. */
SELFMON_INLINE void selfmon_impl_async_work(struct selfmon_async_span *span)
{
	if (span->thread & SELFMON_IMPL_ASYNC_WORK)
		return;
	span->thread |= SELFMON_IMPL_ASYNC_WORK;
	span->bytes = span->items = 0;
}

/*
 * Adds work to a span that is open: n bytes, or n items of whatever the program
 * processes. The report divides by them. Work of a span that never ends is not
 * recorded. Async-signal-safe.
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

#else /* SELFMON_DISABLE */

#define selfmon_async_begin(handle, span)                                      \
	((void)sizeof(handle), (void)sizeof(span))
#define selfmon_async_end(span) ((void)sizeof(span))
#define selfmon_async_bytes(span, n) ((void)sizeof(span), (void)sizeof(n))
#define selfmon_async_items(span, n) ((void)sizeof(span), (void)sizeof(n))

#endif /* SELFMON_DISABLE */

SELFMON_C_END

#endif
