/* SPDX-License-Identifier: MIT */
/*
 * The general path of a switch to a fiber. It handles threads in any mode, and
 * threads that cannot run the fiber.
 */
#include "visit/fiber_any.h"

#include "store/config.h"
#include "store/lock.h"
#include "store/process.h"
#include "store/recorder.h"
#include "visit/fiber_stack.h"
#include "visit/fiber_visits.h"

void selfmon_fiber_note(const char *what)
{
	static uint32_t said;
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_signals signals;

	if (!process || __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
		return;
	selfmon_kernel_block_signals(&signals);
	selfmon_process_lock(process);
	selfmon_config_note("the program %s; visits are not measured until the "
			    "thread switches again",
			    what);
	selfmon_process_unlock(process);
	selfmon_kernel_restore_signals(&signals);
}

static bool may_run(const struct selfmon_thread *thread,
		    const struct selfmon_fiber *fiber)
{
	if (selfmon_likely(
		    fiber == thread->own ||
		    (selfmon_load_once(&fiber->alive) == SELFMON_FIBER_ALIVE &&
		     !selfmon_load_once(&fiber->running))))
		return true;
	/*
	 * An earlier switch of this thread to the fiber was not completed,
	 * because a handler jumped out of it.
	 */
	if (selfmon_load_once(&fiber->running) == thread)
		return true;
	selfmon_fiber_note(
		selfmon_load_once(&fiber->running)
			? "switched to a fiber that another thread runs"
			: "switched to a fiber that does not exist: it was "
			  "destroyed, its thread ended, or it belongs to the "
			  "parent process");
	return false;
}

void selfmon_fiber_switch_any(struct selfmon_thread *thread,
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
	selfmon_compiler_fence();
	selfmon_store_once(&thread->switching, 0);
	selfmon_compiler_fence();
	selfmon_thread_gate(thread);
}
