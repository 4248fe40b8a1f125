/* SPDX-License-Identifier: MIT */
/*
 * Regions: what a piece of code costs, per visit.
 *
 *	SELFMON_REGION("parse") { ... }     a block
 *	SELFMON_SCOPE("parse");             to the end of the enclosing block
 *	SELFMON_BEGIN(tag, "parse"); ... SELFMON_END(tag);
 *	SELFMON_FUNCTION();                 the function, under its own name
 *	SELFMON_REGION_OF(handle) { ... }   a block, its name made at run time
 *	selfmon_enter(handle, &frame); ... selfmon_leave(&frame);
 *
 * Control flow. A region ends however its block is left: falling out, return,
 * goto, and in C++ an exception. `break` and `continue` inside of
 * SELFMON_REGION and SELFMON_REGION_OF end the REGION and not a loop around
 * it; where they must reach a loop, use SELFMON_SCOPE. SELFMON_BEGIN without
 * its SELFMON_END ends with its block, like SELFMON_SCOPE; an END without a
 * BEGIN does not compile. A longjmp, or in C a pthread_exit or cancellation
 * in code built without -fexceptions, runs no end: such a visit is counted as
 * cut off when the library next sees its stack, and has no values.
 *
 * A goto or a case label that leads past the beginning of a region does not
 * compile: put braces around the region, or the label before it. A computed
 * goto (goto *) out of a region does not compile with clang; with gcc it runs
 * no end, like longjmp.
 *
 * In C, an inline function with regions has to be static inline (C11 6.7.4p3).
 *
 * Names of the first four are string literals. Names are copied at the first
 * visit. Regions of the same name, file and line are the same region.
 *
 * With SELFMON_DISABLE defined nothing of this is left, arguments are not
 * evaluated, and the control flow is the same. The other functions return
 * -ENOSYS; see disabled.h.
 *
 * Threads: any number, nothing to set up. Signal handlers: regions in them
 * are measured, wherever they interrupt, and they may jump out. Signals wait
 * during the first visit of a region, path or thread; a handler of a fault
 * does not, and its visits are then counted among those not measured. The
 * first visit of a thread opens its counters, for which it may take some
 * milliseconds and 8 KiB of stack (the first of the process 20 KiB): a thread
 * that has none to spare, in a handler or on a fiber's stack, calls
 * selfmon_thread_prepare() before.
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_REGION_H
#define SELFMON_REGION_H

#include "counters.h"
#include "options.h"

SELFMON_C_BEGIN

/* A place in the source, or a name made at run time. Private. */
struct selfmon_site {
	uint32_t id;      /* of the region; 0 before the first visit */
	uint32_t line;
	const char *name; /* not read any more once id is set */
	const char *file;
	uint64_t reserved;
};

/* A name made at run time; lives as long as the process. */
struct selfmon_region;

/*
 * An open visit. Private, but of a size that callers know, since those of
 * selfmon_enter() own theirs: 32 bytes, aligned to 8, in any language.
 */
struct selfmon_frame {
	void *open;      /* the thread's entry of this visit; NULL: closed */
	uint64_t token;  /* of a span: never the same twice in a thread */
	uint64_t reserved[2];
};

#ifndef SELFMON_DISABLE

/* Regions are measured: 1, or switched off: 0. Private, read-only. */
SELFMON_API extern uint32_t selfmon_impl_on;

/* What a NULL handle stands for: entered, it measures nothing. Private. */
SELFMON_API extern struct selfmon_site selfmon_impl_nowhere;

SELFMON_API void selfmon_impl_enter(struct selfmon_site *site,
				    struct selfmon_frame *frame);
SELFMON_API void selfmon_impl_enter_span(struct selfmon_site *site,
					 struct selfmon_frame *frame);
SELFMON_API void selfmon_impl_leave(struct selfmon_frame *frame);
SELFMON_API struct selfmon_region *selfmon_impl_region(const char *name);

/* What a visit's work is counted in. Private. */
enum selfmon_impl_unit { SELFMON_IMPL_BYTES, SELFMON_IMPL_ITEMS };
SELFMON_API void selfmon_impl_units(enum selfmon_impl_unit unit, uint64_t n);
SELFMON_API uint64_t selfmon_impl_ticks(void);

/*
 * Switched off: one load and one branch. Always inlined: the library tells
 * live visits from dead ones by where on the stack it is called from, which
 * must be the same for all calls out of one function.
 */
SELFMON_ALWAYS_INLINE void selfmon_impl_open(struct selfmon_site *site,
					     struct selfmon_frame *frame)
{
	if (selfmon_unlikely(!selfmon_load_once(&selfmon_impl_on)))
		frame->open = NULL;
	else
		selfmon_impl_enter(site, frame);
}

/* For a frame that is not used again: it stays marked as open. */
SELFMON_INLINE void selfmon_impl_close(struct selfmon_frame *frame)
{
	if (selfmon_likely(frame->open != NULL))
		selfmon_impl_leave(frame);
}

/*
 * Once: a leave that a thread was cancelled in is not made again by the
 * cleanups which that runs. Inlined, so that nothing is left of the pointer.
 */
SELFMON_ALWAYS_INLINE void selfmon_impl_end(struct selfmon_frame **end)
{
	struct selfmon_frame *const frame = *end;

	*end = NULL;
	if (frame)
		selfmon_impl_close(frame);
}

#endif /* SELFMON_DISABLE */

SELFMON_C_END

#define SELFMON_IMPL_JOIN2(a, b) a##b
#define SELFMON_IMPL_JOIN(a, b) SELFMON_IMPL_JOIN2(a, b)

#ifdef __cplusplus
#define SELFMON_IMPL_NOTHING static_assert(true, "")
#else
#define SELFMON_IMPL_NOTHING _Static_assert(1, "")
#endif

/*
 * Begins a block that runs once. A `for` without a condition follows, which
 * SELFMON_IMPL_GO() leaves after the block: compilers see that control does not
 * pass by a block that returns. The loop around it never repeats and holds the
 * label: an `if` would claim an `else` of the program's own.
 */
#ifdef __GNUC__
#define SELFMON_IMPL_ONCE(n)                                                   \
	switch (0)                                                             \
		SELFMON_IMPL_JOIN(selfmon_after_, n):                          \
		while (0)                                                      \
		default:
#define SELFMON_IMPL_GO(n)                                                     \
	__extension__({ goto SELFMON_IMPL_JOIN(selfmon_after_, n); })
#endif

#ifndef SELFMON_DISABLE

SELFMON_C_BEGIN

/*
 * Opens a visit of a region whose name is only known at run time; frame is
 * the caller's, must stay where it is until the leave, and is not to be
 * copied. Spans may overlap: one that is left while a later one is open
 * becomes its sibling, not its parent. Where handle is NULL, regions are off
 * or the visit cannot be measured, frame is marked as closed, and a leave of
 * a closed frame does nothing.
 *
 * A leave on another thread than the enter's records the time only, in the
 * tree of the leaving thread, and is marked so in the report. It may come while
 * the thread that entered goes on, and leaves what is around the span.
 *
 * Thread-safe; async-signal-safe, though a first visit may only be counted.
 */
SELFMON_ALWAYS_INLINE void selfmon_enter(struct selfmon_region *handle,
					 struct selfmon_frame *frame)
{
	frame->open = NULL;
	if (handle && selfmon_load_once(&selfmon_impl_on))
		selfmon_impl_enter_span((struct selfmon_site *)(void *)handle,
					frame);
}

/*
 * Ends the visit. A second leave of a frame does nothing; but one whose leave
 * a signal handler jumped out of must not be left again.
 */
SELFMON_INLINE void selfmon_leave(struct selfmon_frame *frame)
{
	selfmon_impl_close(frame);
	frame->open = NULL;
}

/*
 * Adds work to the visit that is open in the calling thread, the innermost one
 * if there are several: n bytes, or n items of whatever the program handles.
 * The report divides by them: cycles/byte, ns/byte, GB/s, ns/item. They count
 * for that region alone and not for those around it, and only once its visit
 * has ended and was measured: not if it is cut off, left on another thread, or
 * one that is only counted (SELFMON_EVERY). Without an open visit nothing
 * happens; a visit that is not measured is none, and the one around it is
 * meant.
 *
 * Some ten instructions, which the visit's time holds; its end takes some
 * thirty more, which it does not.
 * Thread-safe; async-signal-safe, where a handler means the region that it
 * interrupted or its own.
 */
SELFMON_INLINE void selfmon_region_bytes(uint64_t n)
{
	selfmon_impl_units(SELFMON_IMPL_BYTES, n);
}

SELFMON_INLINE void selfmon_region_items(uint64_t n)
{
	selfmon_impl_units(SELFMON_IMPL_ITEMS, n);
}

/*
 * How long the visit that is open in the calling thread, the innermost one if
 * there are several, has been going on: ticks, which selfmon_clock_ns() makes
 * nanoseconds. What the report would add for a visit that ended now, the
 * library's overhead not subtracted. 0 where none is open or the visit is only
 * counted (SELFMON_EVERY); a visit that is not measured is none, and the one
 * around it is meant.
 *
 * One timestamp and some ten instructions; no system call where the timestamp
 * counter is the clock.
 * Thread-safe; async-signal-safe, where a handler means the region that it
 * interrupted or its own. One that interrupts a visit's very beginning, before
 * its start is taken, may find the start of an earlier visit.
 */
SELFMON_INLINE uint64_t selfmon_region_ticks(void)
{
	return selfmon_impl_ticks();
}

/*
 * The region of this name; the same handle for the same name. The name is
 * copied. NULL or "" gives the region "(unnamed)"; NULL is returned only
 * where there is no memory, or no room for more than four million regions,
 * and may be used like any handle.
 * Thread-safe, takes a lock; not async-signal-safe. Never freed.
 */
SELFMON_INLINE struct selfmon_region *selfmon_region(const char *name)
{
	return selfmon_impl_region(name);
}

/*
 * The name of a region, as the library has copied it; "" for NULL. Lives as
 * long as the library is loaded.
 * Thread-safe; async-signal-safe.
 */
SELFMON_INLINE const char *
selfmon_region_name(const struct selfmon_region *handle)
{
	return handle ? ((const struct selfmon_site *)(const void *)handle)->name
		      : "";
}

/* A NULL handle gives a block that is not measured. */
SELFMON_ALWAYS_INLINE struct selfmon_site *
selfmon_impl_site_of(struct selfmon_region *handle)
{
	return handle ? (struct selfmon_site *)(void *)handle
		      : &selfmon_impl_nowhere;
}

SELFMON_C_END

#define SELFMON_IMPL_CLEANUP __attribute__((cleanup(selfmon_impl_end)))

#define SELFMON_IMPL_SITE(text)                                                \
	__extension__({                                                        \
		static struct selfmon_site selfmon_impl_site = {               \
			0, __LINE__, text, __FILE__, 0                         \
		};                                                             \
		&selfmon_impl_site;                                            \
	})

/*
 * The cleanup of a thread that is cancelled before the visit has begun finds no
 * visit to end: either no pointer, or a frame that is marked as closed. gcc's C
 * needs the latter, since setjmp(3) in a region returns, for gcc, from any call:
 * it warns of a pointer that is set after the call (-Wmaybe-uninitialized), or
 * twice (-Wclobbered). The others must not: cancellation may end a program from
 * its first cleanup on.
 *
 * A jump past the variables would run the cleanup on a pointer that was never
 * set. C++ and clang refuse such jumps. gcc's C refuses those past a variable
 * of variably modified type alone, hence `pinned`: it takes no memory but its
 * own and, optimised, no instruction.
 */
#if defined(__cplusplus) || defined(__clang__)
#define SELFMON_IMPL_VARIABLE(site, frame, end, begin)                         \
	struct selfmon_frame frame,                                            \
		*end SELFMON_IMPL_CLEANUP SELFMON_UNUSED =                     \
			(selfmon_impl_open((site), &frame), &frame)
#define SELFMON_IMPL_PIN(pinned)
#define SELFMON_IMPL_PIN_BLOCK(pinned, exit)
#else
#define SELFMON_IMPL_VARIABLE(site, frame, end, begin)                         \
	struct selfmon_frame frame,                                            \
		*end SELFMON_IMPL_CLEANUP = (frame.open = NULL, &frame),       \
		*begin SELFMON_UNUSED = (selfmon_impl_open((site), end), end)
#define SELFMON_IMPL_PINNED                                                    \
	__typeof__(__extension__({                                             \
		_Pragma("GCC diagnostic push")                                 \
		_Pragma("GCC diagnostic ignored \"-Wvla\"")                    \
		char(*selfmon_pinned)[(size_t)&selfmon_impl_on] = NULL;        \
		_Pragma("GCC diagnostic pop")                                  \
		selfmon_pinned;                                                \
	}))
#define SELFMON_IMPL_PIN(pinned) SELFMON_IMPL_PINNED pinned SELFMON_UNUSED;
#define SELFMON_IMPL_PIN_BLOCK(pinned, exit)                                   \
	for (SELFMON_IMPL_PINNED pinned SELFMON_UNUSED;; exit)
#endif

/* n: a number, or a tag of the program's. */
#define SELFMON_IMPL_DECLARE(site, n)                                          \
	SELFMON_IMPL_VARIABLE(site, SELFMON_IMPL_JOIN(selfmon_frame_, n),      \
			      SELFMON_IMPL_JOIN(selfmon_end_, n),              \
			      SELFMON_IMPL_JOIN(selfmon_begin_, n))
#define SELFMON_IMPL_DECLARE_PINNED(site, n)                                   \
	SELFMON_IMPL_PIN(SELFMON_IMPL_JOIN(selfmon_pinned_, n))                \
	SELFMON_IMPL_DECLARE(site, n)

/*
 * At -O0 gcc assumes that a goto out of a cleanup's scope is reached, even
 * after a return, and warns of a missing value. A jump in assembly is exempt.
 */
#if defined(__clang__) || defined(__OPTIMIZE__) || !defined(SELFMON_ARCH_GOTO)
#define SELFMON_IMPL_EXIT(n) SELFMON_IMPL_GO(n)
#else
#define SELFMON_IMPL_EXIT(n)                                                   \
	__extension__({                                                        \
		selfmon_impl_end(&SELFMON_IMPL_JOIN(selfmon_end_, n));         \
		SELFMON_ARCH_GOTO(SELFMON_IMPL_JOIN(selfmon_after_, n));       \
	})
#endif

#define SELFMON_IMPL_BLOCK(site, n)                                            \
	SELFMON_IMPL_ONCE(n)                                                   \
	SELFMON_IMPL_PIN_BLOCK(SELFMON_IMPL_JOIN(selfmon_pinned_, n),          \
			       SELFMON_IMPL_GO(n))                             \
	for (SELFMON_IMPL_DECLARE(site, n);; SELFMON_IMPL_EXIT(n))

#define SELFMON_REGION(name)                                                   \
	SELFMON_IMPL_BLOCK(SELFMON_IMPL_SITE("" name), __COUNTER__)
#define SELFMON_SCOPE(name)                                                    \
	SELFMON_IMPL_DECLARE_PINNED(SELFMON_IMPL_SITE("" name), __COUNTER__)
#define SELFMON_FUNCTION()                                                     \
	SELFMON_IMPL_DECLARE_PINNED(SELFMON_IMPL_SITE(__func__), __COUNTER__)
#define SELFMON_REGION_OF(handle)                                              \
	SELFMON_IMPL_BLOCK(selfmon_impl_site_of(handle), __COUNTER__)
#define SELFMON_BEGIN(tag, name)                                               \
	SELFMON_IMPL_DECLARE_PINNED(SELFMON_IMPL_SITE("" name), tag_##tag)
#define SELFMON_END(tag) selfmon_impl_end(&selfmon_end_tag_##tag)

#else /* SELFMON_DISABLE */

#define selfmon_region(name) ((void)sizeof(name), (struct selfmon_region *)0)
#define selfmon_enter(handle, frame)                                           \
	((void)sizeof(handle), (void)sizeof(frame))
#define selfmon_leave(frame) ((void)sizeof(frame))
#define selfmon_region_bytes(n) ((void)sizeof(n))
#define selfmon_region_items(n) ((void)sizeof(n))
#define selfmon_region_ticks() ((uint64_t)0)
#define selfmon_region_name(handle) ((void)sizeof(handle), "")

#ifdef __GNUC__
#define SELFMON_IMPL_OFF(expression)                                           \
	SELFMON_IMPL_OFF_NAMED(expression, __COUNTER__)
#define SELFMON_IMPL_OFF_NAMED(expression, n)                                  \
	SELFMON_IMPL_ONCE(n) for (expression;; SELFMON_IMPL_GO(n))
#else
#ifdef __COUNTER__
#define SELFMON_IMPL_NUMBER __COUNTER__
#else
#define SELFMON_IMPL_NUMBER __LINE__
#endif
#define SELFMON_IMPL_OFF(expression)                                           \
	SELFMON_IMPL_OFF_NAMED(                                                \
		expression,                                                    \
		SELFMON_IMPL_JOIN(selfmon_once_, SELFMON_IMPL_NUMBER))
#define SELFMON_IMPL_OFF_NAMED(expression, once)                               \
	for (bool once = ((expression), true); once; once = false)
#endif

#define SELFMON_REGION(name) SELFMON_IMPL_OFF((void)0)
#define SELFMON_REGION_OF(handle) SELFMON_IMPL_OFF((void)sizeof(handle))
#define SELFMON_SCOPE(name) SELFMON_IMPL_NOTHING
#define SELFMON_FUNCTION() SELFMON_IMPL_NOTHING
#define SELFMON_BEGIN(tag, name) enum { selfmon_tag_##tag }
#define SELFMON_END(tag) ((void)selfmon_tag_##tag)

#endif /* SELFMON_DISABLE */

#endif
