/* SPDX-License-Identifier: MIT */
/*
 * A thread's ring buffer, in which the kernel records its context switches
 * (@offcpu) and samples.
 *
 * An open visit keeps the ring's head in place of the CPU number, so that the
 * same comparison at its end shows that something was recorded: a pair costs no
 * instruction more. Each record is of the visits that were open at its
 * position.
 */
#ifndef SELFMON_SESSION_THREAD_RING_H
#define SELFMON_SESSION_THREAD_RING_H

#include "store/process.h"
#include "store/ring_state.h"

/* Opens the calling thread's ring, if the process records anything. */
void selfmon_thread_ring_begin(struct selfmon_process *process,
			       struct selfmon_thread *thread);
/* Reads what is left, and closes the ring. */
void selfmon_thread_ring_end(struct selfmon_thread *thread);

/* Results of the records for the newest visit. */
struct selfmon_ring_end {
	bool moved;	/* the thread came back to another CPU */
	uint64_t ticks; /* its time, less the cost of its samples */
};

/*
 * Reads the calling thread's records, and adds them to its open visits. ticks:
 * how long the newest visit took, which ends now; UINT64_MAX: it does not end.
 */
struct selfmon_ring_end selfmon_thread_ring_read(struct selfmon_thread *thread,
						 uint64_t ticks);
/*
 * Reads the calling thread's records, and keeps other threads from reading
 * until selfmon_thread_ring_release(): entries are about to be moved, or given
 * back without an end. Without a ring both do nothing.
 */
void selfmon_thread_ring_hold(struct selfmon_thread *thread,
			      struct selfmon_signals *signals);
void selfmon_thread_ring_release(struct selfmon_thread *thread,
				 const struct selfmon_signals *signals);
/*
 * Reads another thread's records. Those of a thread with fibers or
 * switches are left to it: only the thread knows when a visit began and ended.
 */
void selfmon_thread_ring_read_other(struct selfmon_thread *thread);

#endif
