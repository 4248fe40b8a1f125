/* SPDX-License-Identifier: MIT */
/*
 * Fibers: a switch exchanges the open visits of one stack for those of another.
 *
 * The switch saves the old fiber's visits as differences from this moment, and
 * restores those of the new fiber into the thread's entries. While a fiber
 * runs, the thread's entries hold only that fiber's visits, so a visit that
 * begins and ends between two switches needs no code for fibers. A thread's own
 * stack is represented by a fiber as well.
 *
 * A frame points to the entry in which its visit began. After a switch the
 * visit may be in another entry, possibly of another thread: see
 * SELFMON_ENTRY_RESUMED. A switch never writes to frames: the frame of a visit
 * that a jump abandoned may no longer exist.
 *
 * No visit begins while thread->switching is set. If a signal handler jumps out
 * of a switch, switching stays set. The next switch still finds the old fiber's
 * visits, either in the thread's entries or completely saved: saving only reads
 * the entries, and the last step of resuming a fiber clears its number of saved
 * visits.
 */
#include "visit/fiber_switch.h"

#include "session/thread.h"
#include "store/config.h"
#include "store/lock.h"
#include "store/process.h"
#include "store/recorder.h"
#include "visit/fiber_stack.h"
#include "visit/fiber_visits.h"

/* ---- with time alone ----------------------------------------------------- */

/*
 * Returns true in the usual case: few visits, no units, and a fiber that this
 * thread ran last. Such a switch skips most steps of fiber_visits.c.
 */
static ALWAYS_INLINE bool is_usual_switch(const struct selfmon_thread *thread,
					  const struct selfmon_fiber *from,
					  const struct selfmon_fiber *fiber)
{
	return selfmon_load_once(&thread->mode) == SELFMON_MODE_TIME &&
	       fiber->ran == thread && !fiber->running &&
	       fiber->count <= SELFMON_FIBER_VISITS &&
	       thread->top <= thread->open + SELFMON_FIBER_VISITS &&
	       !(from->count | from->units | fiber->units);
}

/* Reverts what keep_usual() did to the visits below `open`. */
__attribute__((cold))
static NEVER_INLINE void keep_nothing(struct selfmon_thread *thread,
				      const struct selfmon_visit *open)
{
	while (--open > thread->open)
		selfmon_arch_sub(
			&open->node->stats->rare[SELFMON_RARE_SUSPENDED], 1);
}

/*
 * Saves the visits. If one of them needs the general path, returns false and
 * changes nothing. The loop is unrolled: most fibers have their own visit and
 * one or two more.
 */
static ALWAYS_INLINE bool keep_usual(struct selfmon_thread *thread,
				     struct selfmon_fiber *from,
				     const struct selfmon_visit *top,
				     uint64_t now)
{
	struct selfmon_visit *const open = thread->open + 1;
	unsigned int i;

#pragma GCC unroll 3
	for (i = 0; i < SELFMON_FIBER_VISITS; i++) {
		if (open + i > top)
			break;
		if (selfmon_unlikely(!selfmon_entry_is_open(open + i) ||
				     open[i].node->stats->work)) {
			keep_nothing(thread, open + i);
			return false;
		}
		selfmon_fiber_keep_line(open + i, now, &from->visit[i]);
	}
	from->since = now;
	selfmon_compiler_fence();
	selfmon_store_once(&from->count, i);
	return true;
}

/*
 * Clears the marks of all entries above `used`, the newest entry of the resumed
 * fiber.
 */
static ALWAYS_INLINE void take_off_usual(struct selfmon_visit *top,
					 const struct selfmon_visit *used)
{
	for (; selfmon_unlikely(top > used); top--)
		selfmon_store_once(&top->mark, SELFMON_MARK_NONE);
}

static ALWAYS_INLINE void resume_usual(struct selfmon_thread *thread,
				       struct selfmon_fiber *fiber,
				       struct selfmon_visit *top,
				       uint64_t before)
{
	const uint64_t since = before - fiber->since;
	struct selfmon_visit *const open = thread->open + 1;
	uint64_t now;
	unsigned int i;

#pragma GCC unroll 3
	for (i = 0; i < SELFMON_FIBER_VISITS; i++) {
		const struct selfmon_suspended *const kept = &fiber->visit[i];

		if (open + i > top)
			break;
		memcpy(open + i, kept, SELFMON_LINE);
		selfmon_rare_add(kept->node->stats, SELFMON_RARE_RESUMED, 1);
		selfmon_rare_add(kept->node->stats,
				 SELFMON_RARE_SUSPENDED_TICKS, since);
	}
	selfmon_compiler_fence();
	selfmon_store_once(&thread->top, top);
	now = selfmon_arch_timestamp();
#pragma GCC unroll 3
	for (i = 0; i < SELFMON_FIBER_VISITS; i++) {
		if (open + i > top)
			break;
		selfmon_arch_add(&open[i].start.ticks, now);
	}
}

static ALWAYS_INLINE bool switch_usual(struct selfmon_thread *thread,
				       struct selfmon_fiber *from,
				       struct selfmon_fiber *fiber)
{
	struct selfmon_visit *const top = thread->top;
	struct selfmon_visit *const new_top = thread->open + fiber->count;
	const uint64_t before = selfmon_arch_timestamp();

	selfmon_fiber_gate_close(thread);
	if (selfmon_unlikely(!keep_usual(thread, from, top, before)))
		return false;
	take_off_usual(top, new_top);
	selfmon_fiber_leave_stack(thread, from);
	selfmon_fiber_enter_stack(thread, fiber);
	resume_usual(thread, fiber, new_top, before);
	selfmon_compiler_fence();
	selfmon_store_once(&fiber->count, 0);
	selfmon_fiber_gate_open(thread);
	return true;
}

/* ---- in any mode --------------------------------------------------------- */

void selfmon_fiber_note(const char *what)
{
	static uint32_t said;
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_signals signals;

	if (!process || __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
		return;
	selfmon_kernel_block_signals(&signals);
	selfmon_process_lock(process);
	selfmon_config_note("a fiber was %s: visits are not measured until the "
			    "thread switches again",
			    what);
	selfmon_process_unlock(process);
	selfmon_kernel_restore_signals(&signals);
}

/* Returns true if this thread may run the fiber. */
static bool may_run(const struct selfmon_thread *thread,
		    const struct selfmon_fiber *fiber)
{
	if (selfmon_likely(
		    fiber == thread->own ||
		    (selfmon_load_once(&fiber->alive) == SELFMON_FIBER_ALIVE &&
		     !selfmon_load_once(&fiber->running))))
		return true;
	/*
	 * In this case a handler jumped out of an earlier switch to this fiber.
	 */
	if (selfmon_load_once(&fiber->running) == thread)
		return true;
	selfmon_fiber_note(
		selfmon_load_once(&fiber->running)
			? "switched to while another thread runs it"
			: "switched to that does not exist: it was "
			  "destroyed, its thread ended, or it is the "
			  "parent process's");
	return false;
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
	selfmon_compiler_fence();
	selfmon_store_once(&thread->fiber, thread->own);
	return thread;
}

static NEVER_INLINE void switch_any(struct selfmon_thread *thread,
				    struct selfmon_fiber *fiber)
{
	struct selfmon_snapshot before, now;

	selfmon_fiber_read_end(thread, &before);
	selfmon_fiber_gate_close(thread);
	selfmon_fiber_suspend(thread, &before);
	if (selfmon_unlikely(!may_run(thread, fiber)))
		return;
	selfmon_fiber_resume(thread, fiber, &before, &now);
	selfmon_recorder_fiber(thread, before.ticks, now.ticks, fiber->traced);
	selfmon_fiber_gate_open(thread);
}

void selfmon_fiber_switch(struct selfmon_fiber *fiber)
{
	struct selfmon_thread *thread = selfmon_thread_self();

	if (selfmon_unlikely(!thread->fiber)) {
		if (!fiber)
			return;
		thread = selfmon_fiber_first();
		if (!thread)
			return;
	}
	if (!fiber)
		fiber = thread->own;
	if (selfmon_unlikely(fiber == thread->fiber && !thread->switching))
		return;
	if (selfmon_likely(is_usual_switch(thread, thread->fiber, fiber)) &&
	    selfmon_likely(switch_usual(thread, thread->fiber, fiber)))
		return;
	switch_any(thread, fiber);
}
