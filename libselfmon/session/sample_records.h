/* SPDX-License-Identifier: MIT */
/*
 * Adds samples to the visits of a thread. Each sample belongs to the innermost
 * visit that was open at the sample's position in the ring. The caller of each
 * function holds the ring's lock.
 */
#ifndef SELFMON_SESSION_SAMPLE_RECORDS_H
#define SELFMON_SESSION_SAMPLE_RECORDS_H

#include "store/ring_state.h"

/*
 * Call when the calling thread begins to use its state. The call stacks of the
 * state's earlier owners are kept.
 */
void selfmon_samples_start(struct selfmon_thread_samples *samples);
/* Adds the PERF_RECORD_SAMPLE at the ring's tail. */
void selfmon_samples_record(struct selfmon_thread *thread, size_t size,
			    uint64_t head);
/* Counts the samples of the PERF_RECORD_LOST at the ring's tail. */
void selfmon_samples_lost(struct selfmon_thread *thread);
/*
 * Call before the records are read. If `full` is true, the kernel may have
 * dropped records, which only a later record will show. Remembers the node of
 * the innermost visit that was open at the last record. The dropped samples
 * will be added to this node, unless context switches are recorded too.
 */
void selfmon_samples_note_full(struct selfmon_thread *thread, bool full,
			       uint64_t head);
/*
 * Subtracts the cost of samples from the open visits of the calling thread.
 * ticks is the duration of the newest visit, which ends now, or UINT64_MAX if
 * it does not end. Returns the duration without the cost.
 */
uint64_t selfmon_samples_settle(struct selfmon_thread *thread, uint64_t ticks);

#endif
