/* SPDX-License-Identifier: MIT */
/*
 * A thread's ring buffer, in which the kernel records its context switches
 * (@offcpu) and samples.
 *
 * The entry of an open visit stores the ring's head in place of the CPU number.
 * So the comparison at the visit's end that usually detects another CPU now
 * detects new records, without an additional instruction. Each record belongs
 * to the visits that were open at its position.
 */
#ifndef SELFMON_SESSION_THREAD_RING_H
#define SELFMON_SESSION_THREAD_RING_H

#include "store/process.h"
#include "store/ring_state.h"

/*
 * Opens a ring for the calling thread, if the process records samples or
 * switches.
 */
void selfmon_thread_ring_begin(struct selfmon_process *process,
			       struct selfmon_thread *thread);
/* Reads the remaining records, and closes the ring. */
void selfmon_thread_ring_end(struct selfmon_thread *thread);

/* Results of reading the ring at the end of the newest visit. */
struct selfmon_ring_end {
	bool moved;	/* the thread changed its CPU during the visit */
	/* Duration of the visit without the cost of its samples. */
	uint64_t ticks;
};

/*
 * Reads the calling thread's records, and adds them to its open visits. ticks
 * is the duration of the newest visit, which ends now, or UINT64_MAX if it does
 * not end.
 */
struct selfmon_ring_end selfmon_thread_ring_read(struct selfmon_thread *thread,
						 uint64_t ticks);
/*
 * Reads the calling thread's records, and prevents other threads from reading
 * until selfmon_thread_ring_release(). Call it before entries are moved or
 * removed without recording their visits, and before the label changes. Without
 * a ring both functions do nothing.
 */
void selfmon_thread_ring_hold(struct selfmon_thread *thread,
			      struct selfmon_signals *signals);
void selfmon_thread_ring_release(struct selfmon_thread *thread,
				 const struct selfmon_signals *signals);
/*
 * Reads another thread's records. Only the thread itself can read them if it
 * has fibers or @offcpu, because it alone knows when a visit began and ended.
 * If the ring of such a thread is half full, requests that the thread calls
 * selfmon_thread_ring_answer() at its next enter.
 */
void selfmon_thread_ring_read_other(struct selfmon_thread *thread);
/*
 * Does what other threads requested of the calling thread
 * (SELFMON_MODE_REQUEST): makes a copy of statistics, and reads the ring if it
 * is half full.
 */
void selfmon_thread_ring_answer(struct selfmon_thread *thread);

#endif
