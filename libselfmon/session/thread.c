/* SPDX-License-Identifier: MIT */
/*
 * Start and exit of threads. At its first visit a thread gets a new state, or
 * the state of an exited thread, including its statistics. When the thread
 * exits, it closes its counters and releases the state.
 */
#include "session/thread.h"

#include <pthread.h>

#include "clock/clock.h"
#include "open/bounds.h"
#include "open/unwind.h"
#include "platform/cancel.h"
#include "platform/kernel.h"
#include "platform/thread_cpu.h"
#include "session/end.h"
#include "session/events.h"
#include "session/live_facts.h"
#include "session/owner.h"
#include "session/sampling.h"
#include "session/thread_ring.h"
#include "store/config.h"
#include "store/fiber.h"
#include "store/live.h"
#include "store/lock.h"
#include "store/name.h"
#include "store/process.h"
#include "store/sample.h"
#include "store/self.h"

static pthread_key_t exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;

/* Cuts off all open visits: their code will never continue. */
static void cut_off_all(struct selfmon_thread *thread)
{
	while (thread->top > thread->open)
		selfmon_unwind_cut_off(thread);
}

/*
 * Releases the state for the next thread. Afterwards this thread has no state.
 */
static void end_thread(struct selfmon_process *process,
		       struct selfmon_thread *thread)
{
	struct selfmon_signals signals;

	selfmon_thread_busy(thread, &signals);
	selfmon_thread_ring_end(thread);
	cut_off_all(thread);
	selfmon_fiber_end_thread(thread);
	selfmon_counters_close(thread->set);
	thread->set = NULL;
	selfmon_process_lock(process);
	selfmon_thread_set_mode(thread, SELFMON_MODE_NOT_READY);
	process->alive--;
	selfmon_thread_disown(process, thread);
	selfmon_live_count(process);
	selfmon_process_unlock_as(process, &selfmon_thread_nobody);
	selfmon_kernel_restore_signals(&signals);
}

/*
 * The destructor of the thread-specific key. It also runs in a forked child
 * that never visited a region.
 */
static void thread_exit(void *state)
{
	struct selfmon_thread *const thread = state;
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_cancel cancel;

	if (selfmon_thread_pointer != thread || !thread->taken)
		return;
	selfmon_cancel_off(&cancel);
	__atomic_add_fetch(&process->leaving, 1, __ATOMIC_ACQ_REL);
	end_thread(process, thread);
	selfmon_cancel_restore(&cancel);
	__atomic_sub_fetch(&process->leaving, 1, __ATOMIC_ACQ_REL);
}

static void make_exit_key(void)
{
	struct selfmon_process *const process = selfmon_process();

	if (!pthread_key_create(&exit_key, thread_exit))
		return;
	exit_key = (pthread_key_t)-1;
	selfmon_process_lock(process);
	selfmon_config_note("all keys of pthread_key_create(3) are in use: "
			    "memory and counters of ended threads are not "
			    "freed");
	selfmon_process_unlock(process);
}

static void no_exit_key(void)
{
	exit_key = (pthread_key_t)-1;
}

/*
 * A plugin with a static copy of the library may be unloaded while threads that
 * visited its regions continue. When these threads exit, they must not run the
 * destructor, whose code is gone.
 */
void selfmon_thread_forget(void)
{
	pthread_once(&exit_key_once, no_exit_key);
	if (exit_key != (pthread_key_t)-1)
		pthread_key_delete(exit_key);
	exit_key = (pthread_key_t)-1;
}

/*
 * Returns true if all values of the set are read in user space, in the order of
 * the columns, and from registers of the same width.
 *
 * The register numbers must also stay valid, so sets for several core types are
 * excluded: the thread may move to a core that lacks the counter, where reading
 * it faults. Only a read that takes the number from the page is safe.
 */
static bool reads_alike(const struct selfmon_thread *thread)
{
	const struct selfmon_counters *const set = thread->set;
	uint32_t i;

	if (set->flags & (SELFMON_IMPL_SET_SLOW | SELFMON_IMPL_SET_CORES) ||
	    !set->sign)
		return false;
	for (i = 0; i < set->count; i++)
		if (thread->column[i] != i)
			return false;
	return true;
}

uint32_t selfmon_thread_mode(const struct selfmon_thread *thread)
{
	if (thread->missing || thread->every > 1 || !selfmon_clock_direct())
		return SELFMON_MODE_ANY;
	if (!thread->set)
		return SELFMON_MODE_TIME;
	/*
	 * The fast path with counters does not check the ring's head at the end
	 * of a visit.
	 */
	if (selfmon_thread_ring_on(thread))
		return SELFMON_MODE_ANY;
	return reads_alike(thread) ? SELFMON_MODE_USER : SELFMON_MODE_ANY;
}

/*
 * Invalidates the cached page contents in all entries: they belong to the pages
 * of the previous set.
 */
static void forget_pages(struct selfmon_thread *thread)
{
	struct selfmon_visit *open;

	for (open = thread->open + 1;
	     open <= thread->last + SELFMON_DEPTH_SLACK; open++)
		open->known.locks = SELFMON_LOCKS_UNKNOWN;
}

/*
 * Gives the calling thread a state. If `choose` is true, also chooses the
 * events of the process, unless another thread has done so.
 */
static struct selfmon_thread *attach_state(struct selfmon_process *process,
					   bool choose)
{
	struct selfmon_live_header *header;
	struct selfmon_thread *thread;

	selfmon_process_lock(process);
	selfmon_process_begin(process);
	header = selfmon_live_begin(process);
	if (header) {
		selfmon_name_publish(process);
		selfmon_facts_publish(process);
		selfmon_live_complete(header);
	}
	thread = selfmon_thread_own(process);
	if (!thread)
		process->refused++;
	if (thread && choose && process->choice == SELFMON_CHOICE_NONE)
		selfmon_events_choose(process, thread);
	selfmon_live_count(process);
	selfmon_process_unlock(process);
	if (thread)
		thread->cpu = selfmon_thread_cpu();
	return thread;
}

/*
 * Called at the first region of a thread that had only detached spans before.
 */
static void choose_events(struct selfmon_process *process,
			  struct selfmon_thread *thread)
{
	selfmon_process_lock(process);
	if (process->choice == SELFMON_CHOICE_NONE)
		selfmon_events_choose(process, thread);
	selfmon_process_unlock(process);
}

static void attach_events(struct selfmon_process *process,
			  struct selfmon_thread *thread)
{
	selfmon_bounds_begin(thread,
			     (uint64_t)(uintptr_t)__builtin_frame_address(0));
	thread->every = selfmon_config()->every;
	thread->random = selfmon_sample_seed(thread);
	if (!thread->set)
		selfmon_events_open(process, thread);
	if (thread->set)
		thread->max_per_tick = thread->set->max_per_tick;
	forget_pages(thread);
	selfmon_sampling_choose(process);
	selfmon_thread_ring_begin(process, thread);
}

/*
 * Returns true in a child of vfork(2), which runs in its parent's memory but
 * has its own descriptors. A set opened by the child would look like one of the
 * parent. The parent would later close its own descriptors with the same
 * numbers.
 */
static bool is_borrowed(const struct selfmon_process *process)
{
	return process && process->pid != selfmon_kernel_pid();
}

/*
 * Attaches the calling thread. Signals and cancellation are blocked: otherwise
 * the state could be left incomplete, by a handler that jumps out or when the
 * thread is cancelled. If `spans` is true, the thread begins or ends a detached
 * span, and opens no events yet. If `off` is true, attaches the thread even if
 * regions are off.
 */
static struct selfmon_thread *attach_whole(bool spans, bool off)
{
	struct selfmon_process *process;
	struct selfmon_thread *thread;
	bool on;

	selfmon_thread_hide();
	on = (off || selfmon_load_once(&selfmon_impl_on)) &&
	     !selfmon_process_has_ended();
	process = on ? selfmon_process() : NULL;
	if (is_borrowed(process)) {
		selfmon_thread_count_unready();
		selfmon_thread_pointer = &selfmon_thread_nobody;
		return NULL;
	}
	if (process && !spans)
		selfmon_events_foresee();
	thread = process ? attach_state(process, !spans) : NULL;
	if (thread && !spans)
		attach_events(process, thread);
	if (thread) {
		pthread_once(&exit_key_once, make_exit_key);
		pthread_setspecific(exit_key, thread);
		selfmon_thread_set_mode(thread,
					spans ? SELFMON_MODE_ASYNC
					      : selfmon_thread_mode(thread));
	}
	selfmon_compiler_fence();
	if (thread || !on)
		selfmon_thread_pointer = thread ? thread : &selfmon_thread_nobody;
	return thread;
}

/*
 * Opens the events of a thread that had only detached spans before. Returns
 * NULL if they cannot be opened now. If a reader has set a request in the mode,
 * the request stays.
 */
static struct selfmon_thread *attach_rest(struct selfmon_thread *thread)
{
	struct selfmon_process *const process = selfmon_process();

	if (is_borrowed(process)) {
		selfmon_thread_count_unready();
		return NULL;
	}
	selfmon_thread_begin_busy(thread);
	selfmon_events_foresee();
	choose_events(process, thread);
	attach_events(process, thread);
	__atomic_or_fetch(&thread->mode, selfmon_thread_mode(thread),
			  __ATOMIC_RELAXED);
	__atomic_and_fetch(&thread->mode, ~SELFMON_MODE_ASYNC,
			   __ATOMIC_RELAXED);
	selfmon_thread_end_busy(thread);
	return thread;
}

/* Does not end open visits, so that a live file shows them as they were. */
void selfmon_thread_close(void)
{
	struct selfmon_thread *const thread = selfmon_thread_pointer;

	selfmon_thread_pointer = &selfmon_thread_nobody;
	selfmon_thread_ring_end(thread);
	selfmon_counters_close(thread->set);
	thread->set = NULL;
}

static bool has_state(const struct selfmon_thread *thread, bool spans)
{
	/* In a forked child the parent's state is wiped, so top is NULL. */
	return thread->top && (spans || !(selfmon_load_once(&thread->mode) &
					  SELFMON_MODE_ASYNC));
}

__attribute__((noinline))
static struct selfmon_thread *attach_as(bool spans, bool off)
{
	struct selfmon_thread *thread = selfmon_thread_pointer;
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;

	if (selfmon_thread_is_hidden() ||
	    selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY)
		return thread;
	if (selfmon_config_switches_off())
		return NULL;
	selfmon_cancel_off(&cancel);
	selfmon_kernel_block_signals(&signals);
	/* Test again: a handler may have attached the thread. */
	thread = selfmon_thread_pointer;
	if (!thread->top)
		thread = attach_whole(spans, off);
	else if (!has_state(thread, spans))
		thread = attach_rest(thread);
	selfmon_kernel_restore_signals(&signals);
	selfmon_cancel_restore(&cancel);
	return thread;
}

struct selfmon_thread *selfmon_thread_attach(void)
{
	struct selfmon_thread *const thread = selfmon_thread_pointer;

	return selfmon_likely(has_state(thread, false)) ? thread
							 : attach_as(false, false);
}

struct selfmon_thread *selfmon_thread_attach_async(bool off)
{
	struct selfmon_thread *const thread = selfmon_thread_pointer;

	return has_state(thread, true) ? thread : attach_as(true, off);
}
