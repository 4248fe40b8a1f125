/* SPDX-License-Identifier: MIT */
/*
 * Fibers: a switch exchanges the open visits of one stack for those of another.
 *
 * The switch saves the old fiber's visits relative to the current time and
 * counts, and restores those of the new fiber into the thread's entries. While
 * a fiber runs, the thread's entries contain only that fiber's visits, so enter
 * and leave need no code for fibers. A thread's own stack is represented by a
 * fiber as well.
 *
 * A frame points to the entry in which its visit began. After a switch the
 * visit may be in another entry, possibly of another thread: see
 * SELFMON_ENTRY_RESUMED. A switch never writes to frames: if a jump abandoned
 * the visit, its frame no longer exists.
 *
 * No visit begins while thread->switching is set. If a signal handler jumps out
 * of a switch, switching stays set. The next switch suspends thread->fiber: the
 * fiber that the interrupted switch left, or the fiber that it was resuming. If
 * this fiber's number of saved visits is 0, its visits are in the thread's
 * entries, because saving only reads the entries. Otherwise all its visits are
 * saved: the number is set after saving, and the last step of resuming clears
 * it.
 */
#include "visit/fiber_switch.h"

#include "session/thread.h"
#include "visit/fiber_any.h"
#include "visit/fiber_counted.h"
#include "visit/fiber_stack.h"

/* ---- with time alone ----------------------------------------------------- */

/*
 * Returns true if the fast path can switch: this thread measures time alone and
 * ran the new fiber last, the new fiber has few visits, and neither fiber has
 * `units` set. A fiber that now runs in another thread has that thread in
 * `ran`, so the result is false.
 */
static ALWAYS_INLINE bool is_usual_switch(const struct selfmon_thread *thread,
					  const struct selfmon_fiber *from,
					  const struct selfmon_fiber *fiber)
{
	return selfmon_load_once(&thread->mode) == SELFMON_MODE_TIME &&
	       fiber->ran == thread && fiber->count <= SELFMON_FIBER_VISITS &&
	       !(from->units | fiber->units |
		 selfmon_load_once(&thread->switching));
}

static ALWAYS_INLINE bool keep_timed(const struct selfmon_visit *open,
				     struct selfmon_fiber *from, uint64_t now,
				     const unsigned int n)
{
	struct selfmon_node *node[SELFMON_FIBER_VISITS];
	unsigned int i;

	if (selfmon_unlikely(!selfmon_fiber_may_keep(open, node, n)))
		return false;
#pragma GCC unroll 3
	for (i = 0; i < n; i++)
		selfmon_fiber_keep_line(open + i, node[i], &from->visit[i],
					true);
	from->since = now;
	selfmon_compiler_fence();
	selfmon_store_once(&from->count, n);
	return true;
}

/*
 * Saves the visits, whose entries take `used` bytes. If there are too many, or
 * if one of them needs the general path, changes nothing and returns false.
 * There is code without a loop for one, two and three visits: most fibers have
 * their own visit and one or two more.
 */
static ALWAYS_INLINE bool keep_usual(const struct selfmon_visit *open,
				     size_t used, struct selfmon_fiber *from,
				     uint64_t now)
{
	if (selfmon_likely(used == SELFMON_FIBER_ENTRIES(3)))
		return keep_timed(open, from, now, 3);
	if (used == SELFMON_FIBER_ENTRIES(2))
		return keep_timed(open, from, now, 2);
	if (used == SELFMON_FIBER_ENTRIES(1))
		return keep_timed(open, from, now, 1);
	return used == 0 && keep_timed(open, from, now, 0);
}

static ALWAYS_INLINE void resume_timed(struct selfmon_thread *thread,
				       struct selfmon_fiber *fiber, size_t used,
				       uint64_t before, const unsigned int n)
{
	struct selfmon_visit *const open = thread->open + 1;
	uint64_t pause;
	unsigned int i;

	selfmon_fiber_put_on(thread, fiber, used, before, n, true);
	pause = selfmon_arch_timestamp() - fiber->since;
#pragma GCC unroll 3
	for (i = 0; i < n; i++)
		selfmon_store_once(&open[i].start.ticks,
				   fiber->visit[i].start.ticks + pause);
}

static ALWAYS_INLINE void resume_usual(struct selfmon_thread *thread,
				       struct selfmon_fiber *fiber, size_t used,
				       uint64_t before)
{
	const uint32_t n = fiber->count;

	if (selfmon_likely(n == 3))
		resume_timed(thread, fiber, used, before, 3);
	else if (n == 2)
		resume_timed(thread, fiber, used, before, 2);
	else if (n == 1)
		resume_timed(thread, fiber, used, before, 1);
	else
		resume_timed(thread, fiber, used, before, 0);
}

static NEVER_INLINE void switch_usual(struct selfmon_thread *thread,
				      struct selfmon_fiber *from,
				      struct selfmon_fiber *fiber)
{
	struct selfmon_visit *const open = thread->open + 1;
	const size_t used = selfmon_fiber_used(thread);
	const uint64_t before = selfmon_arch_timestamp();

	selfmon_fiber_gate_close(thread);
	if (selfmon_unlikely(!keep_usual(open, used, from, before))) {
		selfmon_fiber_switch_any(thread, fiber);
		return;
	}
	selfmon_fiber_leave_stack(thread, from);
	selfmon_fiber_enter_stack(thread, fiber);
	resume_usual(thread, fiber, used, before);
	selfmon_compiler_fence();
	selfmon_store_once(&fiber->count, 0);
	selfmon_fiber_gate_open(thread, SELFMON_MODE_TIME, 0);
}

struct selfmon_thread *selfmon_fiber_first(void)
{
	struct selfmon_thread *const thread = selfmon_thread_attach();
	struct selfmon_signals signals;

	if (!thread || !thread->top ||
	    selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY)
		return NULL;
	if (!thread->own) {
		selfmon_thread_busy(thread, &signals);
		thread->own = selfmon_fiber_make(0);
		selfmon_thread_idle(thread, &signals);
	}
	if (!thread->own)
		return NULL;
	thread->own->count = 0;
	thread->own->since = 0;
	thread->own->running = thread;
	thread->own->ran = thread;
	selfmon_compiler_fence();
	selfmon_store_once(&thread->fiber, thread->own);
	return thread;
}

/* The first switch of a thread, which may create the thread's state. */
__attribute__((cold))
static NEVER_INLINE void switch_first(struct selfmon_fiber *fiber)
{
	struct selfmon_thread *const thread =
		fiber ? selfmon_fiber_first() : NULL;

	if (thread)
		selfmon_fiber_switch_any(thread, fiber);
}

void selfmon_fiber_switch(struct selfmon_fiber *fiber)
{
	struct selfmon_thread *const thread = selfmon_thread_self();

	if (selfmon_unlikely(!thread->fiber)) {
		switch_first(fiber);
		return;
	}
	if (!fiber)
		fiber = thread->own;
	if (selfmon_unlikely(fiber == thread->fiber && !thread->switching))
		return;
	if (selfmon_likely(is_usual_switch(thread, thread->fiber, fiber)))
		switch_usual(thread, thread->fiber, fiber);
	else
		selfmon_fiber_switch_counted(thread, thread->fiber, fiber);
}
