/* SPDX-License-Identifier: MIT */
/* The thread-local pointer to a thread's state: the only one there is. */
#ifndef SELFMON_REGION_THREAD_H
#define SELFMON_REGION_THREAD_H

#include "platform/kernel.h"
#include "region/state.h"

/*
 * In the shared library one load from a fixed offset of the thread pointer;
 * eight bytes of the static TLS surplus, which suffice even where a program
 * has used up nearly all of it. The static library follows its host.
 */
#ifndef SELFMON_TLS_MODEL
#ifdef SELFMON_SHARED
#define SELFMON_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define SELFMON_TLS_MODEL
#endif
#endif

/*
 * Never NULL: before the first visit, and once the thread's destructor has
 * run, it leads to a state that is not ready and belongs to no thread.
 */
extern __thread struct selfmon_thread *selfmon_thread_pointer SELFMON_TLS_MODEL;

/* Signals wait already. */
static inline void selfmon_thread_begin_busy(struct selfmon_thread *thread)
{
	__atomic_or_fetch(&thread->mode, SELFMON_MODE_BUSY, __ATOMIC_SEQ_CST);
}

static inline void selfmon_thread_end_busy(struct selfmon_thread *thread)
{
	__atomic_and_fetch(&thread->mode, ~SELFMON_MODE_BUSY, __ATOMIC_SEQ_CST);
}

/*
 * What visits need is being changed. Signals wait meanwhile: a handler that
 * jumped out would leave it half changed, and the thread busy for ever. Those
 * of faults do not, and find visits that are counted and not measured.
 */
static inline void selfmon_thread_busy(struct selfmon_thread *thread,
				       struct selfmon_signals *before)
{
	selfmon_kernel_block_signals(before);
	selfmon_thread_begin_busy(thread);
}

static inline void selfmon_thread_idle(struct selfmon_thread *thread,
				       const struct selfmon_signals *before)
{
	selfmon_thread_end_busy(thread);
	selfmon_kernel_restore_signals(before);
}

static inline struct selfmon_thread *selfmon_thread_self(void)
{
	return selfmon_thread_pointer;
}

#endif
