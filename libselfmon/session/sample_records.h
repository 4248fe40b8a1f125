/* SPDX-License-Identifier: MIT */
/*
 * Samples of a thread: each is of the innermost visit that was open at its
 * position. All functions are called under the ring's lock.
 */
#ifndef SELFMON_SESSION_SAMPLE_RECORDS_H
#define SELFMON_SESSION_SAMPLE_RECORDS_H

#include "store/ring_state.h"

/* The calling thread begins; stacks of earlier owners stay. */
void selfmon_samples_start(struct selfmon_thread_samples *samples);
/* Adds the PERF_RECORD_SAMPLE at the ring's tail. */
void selfmon_samples_record(struct selfmon_thread *thread, size_t size,
			    uint64_t head);
/* Counts those of the PERF_RECORD_LOST at the ring's tail. */
void selfmon_samples_lost(struct selfmon_thread *thread);
/*
 * Before the records are read. full: the kernel may have left some out, which
 * the next record says: those are of the visit that is the innermost now.
 */
void selfmon_samples_note_full(struct selfmon_thread *thread, bool full,
			       uint64_t head);
/*
 * Takes the cost of samples off the open visits of the calling thread. ticks:
 * how long the newest visit took, which ends; UINT64_MAX: it does not end.
 * Returns that time less the cost.
 */
uint64_t selfmon_samples_settle(struct selfmon_thread *thread, uint64_t ticks);

#endif
