/* SPDX-License-Identifier: MIT */
/*
 * Threads come and go. A thread gets a state at its first visit: one that a
 * thread which ended has left, statistics and all, or a new one. At its end
 * it gives its counters back and leaves the state to the next.
 */
#include "region/thread.h"

#include <pthread.h>

#include "clock/clock.h"
#include "platform/cancel.h"
#include "platform/kernel.h"
#include "platform/thread_cpu.h"
#include "region/bounds.h"
#include "region/live.h"
#include "region/sample.h"
#include "region/unload.h"

static struct selfmon_thread nobody = { .mode = SELFMON_MODE_NOT_READY };
/*
 * Stands for a thread whose state is being made, or which holds the process
 * lock, so that a signal handler which comes in between finds it busy; and for
 * one that got no state, for want of memory. Shared by all: only its mode and
 * its count of visits not measured are ever used.
 */
static struct selfmon_thread stand_in = { .mode = SELFMON_MODE_BUSY };

__thread struct selfmon_thread *selfmon_thread_pointer SELFMON_TLS_MODEL =
	&nobody;

static pthread_key_t exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;

/*
 * A thread that was cancelled asynchronously may have been in the middle of an
 * update: the visit is not counted then, but its values may be in the sums.
 * Readers hold the report lock: none is to take what is there for a whole.
 */
static void mend(struct selfmon_process *process, struct selfmon_stats *stats)
{
	if (selfmon_likely(!(stats->sequence & 1)))
		return;
	pthread_mutex_lock(&process->report_lock);
	selfmon_arch_add(&stats->sequence, UINT64_MAX);
	process->torn++;
	pthread_mutex_unlock(&process->report_lock);
}

/* Entries still open here belong to code that will never go on. */
static void cut_off_all(struct selfmon_process *process,
			struct selfmon_thread *thread)
{
	while (thread->top > thread->open) {
		if (thread->node == thread->top->node &&
		    !(selfmon_load_once(&thread->top->mark) &
		      SELFMON_MARK_RECORDED))
			mend(process, thread->top->node->stats);
		selfmon_unwind_cut_off(thread);
	}
	thread->node = thread->root;
}

/*
 * The end of a thread: on its own way out, or found by another; the calling
 * thread goes on with the state that is given.
 */
void selfmon_thread_end(struct selfmon_process *process,
			struct selfmon_thread *thread,
			struct selfmon_thread *after)
{
	struct selfmon_signals signals;

	selfmon_thread_busy(thread, &signals);
	cut_off_all(process, thread);
	selfmon_counters_close(thread->set);
	thread->set = NULL;
	selfmon_process_lock(process);
	selfmon_store_once(&thread->mode, SELFMON_MODE_NOT_READY);
	process->alive--;
	selfmon_thread_disown(process, thread);
	selfmon_live_count(process);
	selfmon_process_unlock_as(process, after);
	selfmon_kernel_restore_signals(&signals);
}

/* The destructor of a thread; also of one that forked off and never came. */
static void thread_exit(void *state)
{
	struct selfmon_thread *const thread = state;
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_cancel cancel;

	if (selfmon_thread_pointer != thread || !thread->taken)
		return;
	selfmon_cancel_off(&cancel);
	__atomic_add_fetch(&process->leaving, 1, __ATOMIC_ACQ_REL);
	selfmon_thread_end(process, thread, &nobody);
	selfmon_cancel_restore(&cancel);
	__atomic_sub_fetch(&process->leaving, 1, __ATOMIC_ACQ_REL);
}

/* Without a key, gone.c alone finds threads that have ended. */
static void make_exit_key(void)
{
	if (pthread_key_create(&exit_key, thread_exit)) {
		exit_key = (pthread_key_t)-1;
		selfmon_gone_tell(selfmon_process());
	}
}

static void no_exit_key(void)
{
	exit_key = (pthread_key_t)-1;
}

/*
 * A plugin that the library is linked into may be unloaded while threads that
 * visited its regions live on: at their end nothing must call in here.
 */
void selfmon_thread_forget(void)
{
	pthread_once(&exit_key_once, no_exit_key);
	if (exit_key != (pthread_key_t)-1)
		pthread_key_delete(exit_key);
	exit_key = (pthread_key_t)-1;
}

/*
 * Few threads nest deep, and each page that is touched for the first time
 * costs a fault. A signal handler that comes in between lays out the same
 * entries; those beyond, which it may have used, are free again after it.
 */
bool selfmon_thread_deepen(struct selfmon_thread *thread)
{
	struct selfmon_open *open = thread->last;
	int i;

	if (open == &thread->open[SELFMON_DEPTH_MAX])
		return false;
	for (i = 0; i < SELFMON_DEPTH_STEP; i++) {
		open++;
		selfmon_store_once(&open->mark, SELFMON_MARK_NONE);
		open->thread = thread;
		open->known.locks = SELFMON_LOCKS_UNKNOWN;
	}
	selfmon_compiler_fence();
	selfmon_store_once(&thread->last, open);
	return true;
}

/*
 * Below the first entry there is to be a mark, and of the sentinel that bears
 * it no more is used: the state stands in the rest of its place, with which it
 * shares a cache line.
 */
struct sentinel {
	uint64_t mark;
	struct selfmon_thread thread;
};

_Static_assert(offsetof(struct sentinel, mark) ==
			       offsetof(struct selfmon_open, mark) &&
		       sizeof(struct sentinel) <= sizeof(struct selfmon_open),
	       "it stands in the place of an entry");
_Static_assert(offsetof(struct sentinel, thread.every) == SELFMON_LINE,
	       "what a usual visit looks at is one line");

/* Entries that are in the live file have a sentinel of their own there. */
static struct selfmon_thread *take_room(struct selfmon_live_thread *live)
{
	const size_t entries = live ? 1 : SELFMON_DEPTH_MAX + 1;
	struct selfmon_open *const open =
		selfmon_memory_wiped(entries * sizeof(*open));
	struct selfmon_thread *thread;

	if (!open)
		return NULL;
	thread = &((struct sentinel *)(void *)open)->thread;
	thread->live = live;
	thread->open = live ? live->open : open;
	return thread;
}

struct selfmon_thread *selfmon_thread_make(bool seen)
{
	struct selfmon_thread *const thread =
		take_room(seen ? selfmon_live_add_thread() : NULL);

	if (!thread)
		return NULL;
	thread->copy = selfmon_memory_wiped(sizeof(*thread->copy));
	if (!thread->copy || selfmon_tree_init(thread))
		return NULL;
	thread->open->mark = SELFMON_MARK_NONE;
	thread->last = thread->open;
	thread->top = thread->open;
	selfmon_thread_deepen(thread);
	return thread;
}

/*
 * Are all values of the set read in user space, from registers of one width,
 * and in the columns' order? And by numbers that may be kept: a thread that is
 * no longer pinned to one type of core may come to one without such a counter,
 * where to read it is a fault. By its page it is not read there.
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
	return reads_alike(thread) ? SELFMON_MODE_USER : SELFMON_MODE_ANY;
}

/* What was known was of the pages of another set. */
static void forget_pages(struct selfmon_thread *thread)
{
	struct selfmon_open *open;

	for (open = thread->open + 1; open <= thread->last; open++)
		open->known.locks = SELFMON_LOCKS_UNKNOWN;
}

static struct selfmon_thread *attach(struct selfmon_process *process)
{
	struct selfmon_thread *thread;

	selfmon_events_foresee();
	selfmon_gone_find(process);
	selfmon_process_lock(process);
	selfmon_process_begin(process);
	selfmon_live_begin(process);
	thread = selfmon_thread_own(process);
	if (!thread)
		process->refused++;
	if (thread && process->choice == SELFMON_CHOICE_NONE)
		selfmon_events_choose(process, thread);
	selfmon_live_count(process);
	selfmon_process_unlock(process);
	if (!thread)
		return NULL;
	selfmon_bounds_begin(thread,
			     (uint64_t)(uintptr_t)__builtin_frame_address(0));
	thread->cpu = selfmon_thread_cpu();
	thread->every = selfmon_config()->every;
	thread->random = selfmon_sample_seed(thread);
	if (!thread->set)
		selfmon_events_open(process, thread);
	if (thread->set)
		thread->max_per_tick = thread->set->max_per_tick;
	forget_pages(thread);
	return thread;
}

/*
 * A child of vfork(2) runs on its parent's memory, but with descriptors of its
 * own: a set that it opened would be taken for its parent's, who would close
 * what is behind these numbers there.
 */
static bool is_borrowed(const struct selfmon_process *process)
{
	return process && process->pid != selfmon_kernel_pid();
}

/*
 * As below. Signals wait and no thread is cancelled in here: a handler that
 * jumped out, or the end, would leave it half done.
 */
static struct selfmon_thread *attach_whole(void)
{
	struct selfmon_process *process;
	struct selfmon_thread *thread;
	bool on;

	selfmon_thread_pointer = &stand_in;
	process = selfmon_process();
	if (is_borrowed(process)) {
		__atomic_add_fetch(&stand_in.unready, 1, __ATOMIC_RELAXED);
		selfmon_thread_pointer = &nobody;
		return NULL;
	}
	on = selfmon_load_once(&selfmon_impl_on) && !selfmon_has_ended();
	thread = process && on ? attach(process) : NULL;
	if (thread) {
		pthread_once(&exit_key_once, make_exit_key);
		pthread_setspecific(exit_key, thread);
		selfmon_store_once(&thread->mode, selfmon_thread_mode(thread));
	}
	selfmon_compiler_fence();
	if (thread || !on)
		selfmon_thread_pointer = thread ? thread : &nobody;
	return thread;
}

/* Open visits stay open: a live file shows them as they were at the end. */
void selfmon_thread_close(void)
{
	struct selfmon_thread *const thread = selfmon_thread_pointer;

	selfmon_thread_pointer = &nobody;
	selfmon_counters_close(thread->set);
	thread->set = NULL;
}

struct selfmon_thread *selfmon_thread_attach(void)
{
	struct selfmon_thread *thread = selfmon_thread_pointer;
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;

	/* A forked child finds its parent's state at 0, top included. */
	if (thread->top)
		return thread;
	if (thread == &stand_in)
		return thread;
	if (selfmon_config_switches_off())
		return NULL;
	selfmon_cancel_off(&cancel);
	selfmon_kernel_block_signals(&signals);
	thread = selfmon_thread_pointer; /* a handler may have attached it */
	if (!thread->top)
		thread = attach_whole();
	selfmon_kernel_restore_signals(&signals);
	selfmon_cancel_restore(&cancel);
	return thread;
}

struct selfmon_thread *selfmon_thread_hide(void)
{
	return selfmon_thread_swap(&stand_in);
}

/* Where the state is another process's, attaching has counted it. */
void selfmon_thread_refused(void)
{
	if (!is_borrowed(selfmon_process()))
		__atomic_add_fetch(&stand_in.unready, 1, __ATOMIC_RELAXED);
}

uint64_t selfmon_thread_unready(void)
{
	return selfmon_load_once(&stand_in.unready);
}

void selfmon_thread_forked(void)
{
	selfmon_store_once(&stand_in.unready, 0);
}

struct selfmon_thread *selfmon_thread_swap(struct selfmon_thread *thread)
{
	struct selfmon_thread *const before = selfmon_thread_pointer;

	selfmon_thread_pointer = thread;
	return before;
}
