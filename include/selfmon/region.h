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
 * Control flow. A region ends however its block is left: at its end, by return
 * or goto, and in C++ by an exception. `break` and `continue` inside of
 * SELFMON_REGION and SELFMON_REGION_OF end the region and not a loop around it;
 * use SELFMON_SCOPE to reach the loop. SELFMON_BEGIN without SELFMON_END ends
 * with its block, like SELFMON_SCOPE. An END without a BEGIN does not compile.
 * A longjmp does not end the regions that it leaves. Neither do pthread_exit
 * and cancellation in C code that is built without -fexceptions. A visit that
 * was left in this way is counted as cut off when the library next sees its
 * stack, and has no values.
 *
 * A goto or a case label that jumps past the beginning of a region does not
 * compile: put braces around the region, or put the region after the label.
 * With clang a computed goto (goto *) out of a region does not compile. With
 * gcc a computed goto does not end the region, like longjmp.
 *
 * A region in a C++20 coroutine may be open across co_await. It is then a
 * detached span: it has wall time without counters, and is not part of the call
 * tree; see async.h. If the thread runs a fiber, the region is instead a visit
 * of the fiber; see CoroutineFiber in selfmon.hpp.
 *
 * In C, an inline function with regions must be static inline (C11 6.7.4p3).
 *
 * The names in the first three forms are string literals. Names are copied at
 * the first visit. Regions with the same name, file and line are the same
 * region.
 *
 * With SELFMON_DISABLE defined regions compile to nothing, arguments are not
 * evaluated, and the control flow is the same. The other functions measure
 * nothing: see disabled.h for what they return.
 *
 * Threads: any number, without set-up. Signal handlers: regions in them are
 * measured, whatever they interrupt, and handlers may jump out. The first visit
 * of a region, path or thread blocks signals. The handler of a fault may still
 * interrupt this first visit; visits in that handler are counted as not
 * measured.
 *
 * The first visit of a thread opens its counters. That may take some
 * milliseconds and needs 8 KiB of stack (the first of the process 20 KiB). A
 * thread with less stack, in a handler or on a fiber, first calls
 * selfmon_thread_prepare() where there is more stack.
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_REGION_H
#define SELFMON_REGION_H

#include "counters.h"
#include "inline.h"
#include "options.h"
#include "site.h"

SELFMON_C_BEGIN

#ifndef SELFMON_DISABLE

/*
 * Regions check whether they are in a coroutine, whose frame is on the heap.
 * With these sanitizers the check does not work: they move variables of
 * ordinary functions off the stack, too.
 */
#if defined(__cpp_impl_coroutine) && !defined(__SANITIZE_ADDRESS__) &&         \
	!defined(__SANITIZE_HWADDRESS__)
#define SELFMON_IMPL_COROUTINES
#endif
#if defined(__clang__) && defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(hwaddress_sanitizer) ||  \
	__has_feature(safe_stack) || __has_feature(memtag_stack)
#undef SELFMON_IMPL_COROUTINES
#endif
#endif

/*
 * Usual maximum size of a stack frame. selfmon_impl_enter_far() handles larger
 * ones.
 */
#define SELFMON_IMPL_NEAR 4096

/*
 * If *frame is not within SELFMON_IMPL_NEAR bytes below the end of the
 * function's stack frame, begins a visit and returns true. This is the case in
 * a coroutine, whose variables are on the heap, and in a function with a large
 * stack frame. Otherwise returns false, and no visit begins.
 */
SELFMON_ALWAYS_INLINE bool selfmon_impl_open_far(struct selfmon_site *site,
						 struct selfmon_frame *frame)
{
#ifdef SELFMON_IMPL_COROUTINES
	const uintptr_t end = (uintptr_t)__builtin_dwarf_cfa();

	if (selfmon_likely(end - (uintptr_t)frame <= SELFMON_IMPL_NEAR))
		return false;
	selfmon_impl_enter_far(site, frame, end);
	return true;
#else
	(void)site;
	(void)frame;
	return false;
#endif
}

/*
 * Begins a visit. Costs one load and one branch if regions are off. Always
 * inlined: the library recognises abandoned visits by the stack address of its
 * caller, which must be the same for all calls from one function.
 */
SELFMON_ALWAYS_INLINE void selfmon_impl_open(struct selfmon_site *site,
					     struct selfmon_frame *frame)
{
#ifdef SELFMON_IMPL_INLINED
	if (selfmon_unlikely(selfmon_arch_is(&selfmon_impl_on, 0))) {
		frame->open = NULL;
		return;
	}
	if (!selfmon_impl_open_far(site, frame))
		selfmon_impl_enter_here(selfmon_impl_self, site, frame);
#else
	/* Stored in front of the branch, so that no code has to jump back. */
	frame->open = NULL;
	if (selfmon_unlikely(selfmon_arch_is(&selfmon_impl_on, 0)))
		return;
	if (!selfmon_impl_open_far(site, frame))
		selfmon_impl_enter(site, frame);
#endif
}

/*
 * Makes the compiler assume that frame->open has been set: see
 * SELFMON_IMPL_VARIABLE.
 */
SELFMON_ALWAYS_INLINE struct selfmon_frame *
selfmon_impl_declare(struct selfmon_frame *frame)
{
	selfmon_arch_seem_set(&frame->open);
	return frame;
}

/* Ends a visit whose frame is not used again, so frame->open is not cleared. */
SELFMON_ALWAYS_INLINE void selfmon_impl_close(struct selfmon_frame *frame)
{
	if (selfmon_unlikely(frame->open == NULL))
		return;
#ifdef SELFMON_IMPL_INLINED
	selfmon_impl_leave_inlined(frame);
#else
	selfmon_impl_leave(frame);
#endif
}

/*
 * Ends a visit and clears the pointer, so that the cleanup after SELFMON_END
 * does not end it again. Inlined, so that the compiler removes the pointer.
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
 * Begins a block that runs once. A `for` without a condition follows, and
 * SELFMON_IMPL_GO() leaves that loop after the block. So compilers know that
 * control never continues after a block that returns. The outer statement runs
 * once and contains the label. It is not an `if`, because an `else` of the
 * program could then belong to it.
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
 * Opens a visit of a region whose name is made at run time. The caller
 * allocates *frame; it must stay at its address until the leave and must not be
 * copied. Spans may overlap: if a span is left while a later one is open, the
 * later one becomes its sibling instead of its child. If handle is NULL,
 * regions are off, or the visit cannot be measured, the frame is marked as
 * closed. A leave of a closed frame does nothing.
 *
 * Leave a visit on the thread that entered it. A leave on another thread
 * records nothing and is counted as stale; the visit is cut off when its own
 * thread ends.
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
 * Ends the visit. Leaving a frame again does nothing, with one exception: do
 * not leave a frame again if a signal handler jumped out of its leave.
 * Thread-safe; async-signal-safe.
 */
SELFMON_INLINE void selfmon_leave(struct selfmon_frame *frame)
{
	if (selfmon_likely(frame->open != NULL))
		selfmon_impl_leave(frame);
	frame->open = NULL;
}

/*
 * Adds work to the innermost visit that is open in the calling thread: n bytes,
 * or n items of whatever the program processes. The report divides by this
 * work: cycles/byte, ns/byte, GB/s, ns/item. The work is counted for this
 * region only, not for the regions around it, and recorded when the visit ends.
 * Visits that are cut off or only counted (SELFMON_EVERY) record no work.
 * Visits that are not measured are skipped: the work is counted for the visit
 * around them. Without an open visit nothing happens.
 *
 * Takes about 20 instructions in the visit's time, and about 50 after its end.
 * Thread-safe; async-signal-safe: a handler adds to its own region, or to
 * the region that it interrupted.
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
 * Returns the unit of this name: something that the program counts, such as
 * "rows". The same name gives the same handle; "bytes" and "items" give the
 * units of the functions above. The name is copied. It has 1 to 31 ASCII
 * letters, digits, '_', '-' and '.'. Returns NULL, which may be used like any
 * handle and counts nothing, if the name breaks these rules, if it is new and
 * the process has SELFMON_MAX_UNITS units already, or if there is no memory. In
 * the first two cases the report has a note on the first such name.
 * Thread-safe, takes a lock; not async-signal-safe. Never freed; a forked child
 * keeps the handle.
 */
SELFMON_API const struct selfmon_unit *selfmon_unit(const char *name);

/*
 * Adds n of a unit to the innermost visit that is open in the calling thread,
 * by the rules of selfmon_region_bytes(). The report has, for each place in the
 * call tree, the sum over all visits. It also has the minimum, maximum and
 * percentiles over the visits that counted more than 0. NULL counts nothing.
 *
 * Takes about 20 instructions in the visit's time, and about 50 for each unit
 * after its end. The first count of a unit at a place allocates 1.4 KiB,
 * in the visit's time. That count is lost if there is no memory, or in a
 * handler that interrupted the library; the report has the number of lost
 * counts. Thread-safe; async-signal-safe.
 */
SELFMON_INLINE void selfmon_region_count(const struct selfmon_unit *unit,
					 uint64_t n)
{
	if (selfmon_likely(unit != NULL))
		selfmon_impl_units(unit->number, n);
}

/*
 * Returns the time since the start of the innermost visit that is open in the
 * calling thread, in ticks; convert with `selfmon_clock_ns(selfmon_clock(),
 * ticks)`. It is the time that the report would add if the visit ended now,
 * before the library's overhead is subtracted. Returns 0 if no visit is open or
 * the visit is only counted (SELFMON_EVERY). Visits that are not measured are
 * skipped: the visit around them is used.
 *
 * Takes one timestamp and about ten instructions; no system call if the clock
 * is the timestamp counter. Thread-safe; async-signal-safe: a handler gets the
 * time of its own region, or of the region that it interrupted. A handler that
 * interrupts a visit before its start is taken may get the start of an earlier
 * visit.
 */
SELFMON_INLINE uint64_t selfmon_region_ticks(void)
{
	return selfmon_impl_ticks();
}

/*
 * Sets a label for all later samples of the calling thread (SELFMON_SAMPLE).
 * The label is a number that the program chooses, such as the number of a query
 * or request. 0 means no label. Returns the previous label. Does nothing and
 * returns 0 if the thread is not sampled, for example before its first region
 * or selfmon_thread_prepare(). Takes a few instructions, plus the time to read
 * the latest samples. Thread-safe and async-signal-safe.
 */
SELFMON_API uint64_t selfmon_label(uint64_t label);

/*
 * Returns the region of this name. The same name gives the same handle. The
 * name is copied. NULL or "" gives the region "(unnamed)". Returns NULL if out
 * of memory or if four million regions exist; NULL may be used like any handle.
 * Thread-safe, takes a lock; not async-signal-safe. Never freed.
 */
SELFMON_INLINE struct selfmon_region *selfmon_region(const char *name)
{
	return selfmon_impl_region(name);
}

/*
 * Returns the library's copy of a region's name, or "" for NULL. Valid as long
 * as the library is loaded. Thread-safe; async-signal-safe.
 */
SELFMON_INLINE const char *
selfmon_region_name(const struct selfmon_region *handle)
{
	return handle ? ((const struct selfmon_site *)(const void *)handle)->name
		      : "";
}

/*
 * Returns the site of a handle. With a NULL handle the block is not measured.
 */
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
			__LINE__, 0, text, __FILE__, 0                         \
		};                                                             \
		&selfmon_impl_site;                                            \
	})

/*
 * With gcc in C, selfmon_impl_declare() makes the compiler believe that the
 * frame is set before it is opened. The reason is that in a function with
 * setjmp(3), gcc assumes that any call may return twice. It would warn of a
 * pointer that is set after the call (-Wmaybe-uninitialized), or set twice
 * (-Wclobbered).
 *
 * A jump past the variables would run the cleanup on an uninitialised pointer.
 * C++ and clang refuse such jumps. gcc in C refuses only jumps past a variable
 * of variably modified type; this is the purpose of `pinned`, which takes no
 * instructions in optimised code.
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
		*end SELFMON_IMPL_CLEANUP = selfmon_impl_declare(&frame),      \
		     *begin SELFMON_UNUSED =                                   \
			     (selfmon_impl_open((site), end), end)
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

/* n is a number, or a tag that the program chose. */
#define SELFMON_IMPL_DECLARE(site, n)                                          \
	SELFMON_IMPL_VARIABLE(site, SELFMON_IMPL_JOIN(selfmon_frame_, n),      \
			      SELFMON_IMPL_JOIN(selfmon_end_, n),              \
			      SELFMON_IMPL_JOIN(selfmon_begin_, n))
#define SELFMON_IMPL_DECLARE_PINNED(site, n)                                   \
	SELFMON_IMPL_PIN(SELFMON_IMPL_JOIN(selfmon_pinned_, n))                \
	SELFMON_IMPL_DECLARE(site, n)

/*
 * At -O0 gcc assumes that a goto out of a cleanup's scope can be reached, even
 * after a return, and warns of a missing return value. gcc does not warn of a
 * jump in assembly.
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
#define selfmon_unit(name) ((void)sizeof(name), (const struct selfmon_unit *)0)
#define selfmon_region_count(unit, n) ((void)sizeof(unit), (void)sizeof(n))
#define selfmon_region_ticks() ((uint64_t)0)
#define selfmon_label(label) ((void)sizeof(label), (uint64_t)0)
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
