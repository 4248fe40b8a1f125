/* SPDX-License-Identifier: MIT */
#include <selfmon/fiber.h>

#include <string.h>

#include "open/unwind.h"
#include "platform/kernel.h"
#include "store/fiber.h"
#include "store/recorder.h"
#include "store/self.h"
#include "visit/any.h"
#include "visit/fiber_any.h"
#include "visit/fiber_stack.h"
#include "visit/fiber_switch.h"
#include "visit/fiber_visits.h"

__attribute__((cold))
static void lay_out(struct selfmon_fiber *fiber)
{
	struct selfmon_suspended *const own = fiber->visit;
	uint64_t *const units = own->units;

	memset(own, 0, sizeof(*own));
	own->units = units;
	if (units)
		memset(units, 0, SELFMON_MAX_UNITS * sizeof(*units));
	own->mark = SELFMON_MARK_FIBER;
	own->frame = &fiber->frame;
	fiber->count = 1;
}

__attribute__((cold))
struct selfmon_fiber *selfmon_fiber_create(const char *name)
{
	const struct selfmon_site *site;
	struct selfmon_signals signals;
	struct selfmon_fiber *fiber;

	if (!selfmon_load_once(&selfmon_impl_on))
		return NULL;
	site = (const void *)selfmon_impl_region(name);
	if (!site)
		return NULL;
	selfmon_kernel_block_signals(&signals);
	fiber = selfmon_fiber_make(site->id);
	if (fiber)
		lay_out(fiber);
	selfmon_kernel_restore_signals(&signals);
	return fiber;
}

__attribute__((cold)) static void end_fiber(struct selfmon_thread *thread,
					    struct selfmon_fiber *fiber)
{
	while (thread->top > thread->open + 1)
		selfmon_unwind_cut_off(thread);
	if (thread->top > thread->open)
		selfmon_leave_any(&fiber->frame);
}

/*
 * Moves the starts of the visits, as if the fiber had been suspended at `now`.
 */
static void move_to(struct selfmon_fiber *fiber, uint64_t now)
{
	const uint64_t pause = now - fiber->since;
	unsigned int i;

	for (i = 0; i < fiber->count; i++)
		selfmon_fiber_visit(fiber, i)->start.ticks += pause;
	fiber->since = now;
}

/*
 * Ends the visits of a fiber. Their times exclude the time since the fiber was
 * suspended.
 */
__attribute__((cold)) static void destroy(struct selfmon_thread *thread,
					  struct selfmon_fiber *fiber)
{
	struct selfmon_fiber *const runs = thread->fiber;
	const bool goes_on = fiber != runs && !thread->switching;
	struct selfmon_snapshot now, after;

	selfmon_fiber_read_end(thread, &now);
	selfmon_fiber_gate_close(thread);
	selfmon_fiber_suspend(thread, &now);
	if (fiber->since) {
		move_to(fiber, now.ticks);
		selfmon_fiber_resume(thread, fiber, &now, &now);
		selfmon_recorder_fiber(thread, now.ticks, now.ticks,
				       fiber->traced);
		end_fiber(thread, fiber);
	}
	selfmon_store_once(&thread->fiber,
			   fiber == runs ? thread->own : runs);
	if (goes_on) {
		selfmon_fiber_resume(thread, runs, &now, &after);
		selfmon_compiler_fence();
		selfmon_store_once(&thread->switching, 0);
		selfmon_compiler_fence();
		selfmon_thread_gate(thread);
	} else {
		after.ticks = now.ticks;
	}
	selfmon_recorder_fiber(thread, after.ticks, after.ticks,
			       thread->fiber->traced);
}

__attribute__((cold))
void selfmon_fiber_destroy(struct selfmon_fiber *fiber)
{
	struct selfmon_thread *thread = selfmon_thread_self();
	struct selfmon_signals signals;

	if (!fiber || !selfmon_load_once(&fiber->alive))
		return;
	if (selfmon_load_once(&fiber->running) &&
	    selfmon_load_once(&fiber->running) != thread) {
		selfmon_fiber_note("destroyed a fiber that another thread "
				   "runs");
		return;
	}
	if (!thread->fiber)
		thread = selfmon_fiber_first();
	if (thread)
		destroy(thread, fiber);
	selfmon_kernel_block_signals(&signals);
	fiber->running = NULL;
	fiber->ran = NULL;
	fiber->counted = 0;
	__atomic_store_n(&fiber->alive, 0, __ATOMIC_RELEASE);
	selfmon_fiber_reuse(fiber);
	selfmon_kernel_restore_signals(&signals);
}
