/* SPDX-License-Identifier: MIT */
/*
 * The thread-local pointer to the thread's state. It is the library's only
 * thread-local variable.
 */
#ifndef SELFMON_STORE_SELF_H
#define SELFMON_STORE_SELF_H

#include <selfmon/version.h>

#include "platform/kernel.h"
#include "platform/label.h"
#include "store/state.h"

/*
 * In the shared library, access needs no call: the variable's offset from the
 * thread pointer is loaded from the GOT. If the library is loaded at run time,
 * this needs eight bytes of the surplus that the C library reserves for static
 * TLS. The static library uses the model of the program that it is linked into.
 */
#ifndef SELFMON_TLS_MODEL
#ifdef SELFMON_SHARED
#define SELFMON_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define SELFMON_TLS_MODEL
#endif
#endif

/*
 * Never NULL. Before the first visit, and after the thread's destructor has
 * run, it points to a shared state that is not ready. Inlined regions use this
 * variable too: see selfmon/inline.h.
 */
extern __thread struct selfmon_thread *selfmon_thread_pointer
	SELFMON_LABEL("selfmon_impl_self_" SELFMON_VERSION) SELFMON_TLS_MODEL;

static inline uint64_t selfmon_thread_low(const struct selfmon_thread *thread,
					  uint32_t mode)
{
	if (selfmon_load_once(&thread->switching))
		return SELFMON_LOW_NONE;
	if (mode == SELFMON_MODE_TIME)
		return thread->stack_low;
	if (mode == SELFMON_MODE_USER)
		return thread->stack_low + SELFMON_LOW_USER;
	return SELFMON_LOW_NONE;
}

/*
 * Computes `low` from the mode, the lower bound of the stack, and `switching`.
 * The thread calls this after it changes any of them. Repeats if a handler or a
 * reader changed the mode meanwhile.
 */
static inline void selfmon_thread_gate(struct selfmon_thread *thread)
{
	uint32_t mode;

	do {
		mode = selfmon_load_once(&thread->mode);
		selfmon_store_once(&thread->low,
				   selfmon_thread_low(thread, mode));
		selfmon_compiler_fence();
	} while (selfmon_load_once(&thread->mode) != mode);
}

static inline void selfmon_thread_set_mode(struct selfmon_thread *thread,
					   uint32_t mode)
{
	selfmon_store_once(&thread->mode, mode);
	selfmon_thread_gate(thread);
}

static inline void selfmon_thread_add_mode(struct selfmon_thread *thread,
					   uint32_t bits)
{
	__atomic_or_fetch(&thread->mode, bits, __ATOMIC_SEQ_CST);
	selfmon_thread_gate(thread);
}

static inline void selfmon_thread_drop_mode(struct selfmon_thread *thread,
					    uint32_t bits)
{
	__atomic_and_fetch(&thread->mode, ~bits, __ATOMIC_SEQ_CST);
	selfmon_thread_gate(thread);
}

/*
 * Requests that another thread calls selfmon_thread_ring_answer() at its next
 * enter. If that thread is computing `low` at this moment, it may miss the
 * request, so callers repeat the request.
 */
static inline void selfmon_thread_request(struct selfmon_thread *thread)
{
	__atomic_or_fetch(&thread->mode, SELFMON_MODE_REQUEST,
			  __ATOMIC_RELEASE);
	selfmon_store_once(&thread->low, SELFMON_LOW_NONE);
}

/* The caller has blocked signals. */
static inline void selfmon_thread_begin_busy(struct selfmon_thread *thread)
{
	selfmon_thread_add_mode(thread, SELFMON_MODE_BUSY);
}

static inline void selfmon_thread_end_busy(struct selfmon_thread *thread)
{
	selfmon_thread_drop_mode(thread, SELFMON_MODE_BUSY);
}

/*
 * Makes the thread busy while data that visits use are changed. Signals are
 * blocked meanwhile: a handler that jumped out would leave the data incomplete
 * and the thread busy for ever. Handlers of faults are not blocked; their
 * visits are counted and not measured.
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

/* The shared state of threads that have no state. Its mode is "not ready". */
extern struct selfmon_thread selfmon_thread_nobody;
/*
 * Returns true if the calling thread has the shared state that is always busy.
 */
bool selfmon_thread_is_hidden(void);
/* Gives the calling thread another state; returns the previous one. */
struct selfmon_thread *selfmon_thread_swap(struct selfmon_thread *thread);
/*
 * Gives the calling thread the shared state that is always busy; returns the
 * previous one.
 */
struct selfmon_thread *selfmon_thread_hide(void);
/* Returns how many visits threads without a usable state have not measured. */
uint64_t selfmon_thread_unready(void);
void selfmon_thread_count_unready(void);
/* Call in a forked child: resets the count of unmeasured visits. */
void selfmon_thread_forked(void);

#endif
