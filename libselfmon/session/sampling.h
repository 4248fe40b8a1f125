/* SPDX-License-Identifier: MIT */
/*
 * The event and the period with which the process samples. They are chosen
 * once; the event is opened for each thread.
 */
#ifndef SELFMON_SESSION_SAMPLING_H
#define SELFMON_SESSION_SAMPLING_H

#include "platform/ring.h"
#include "store/process.h"

/*
 * Chooses the event, and measures the cost of a sample, which takes about 2 ms
 * of CPU time. Called by each thread at its first region; only the first call
 * does anything. Takes the process lock.
 */
void selfmon_sampling_choose(struct selfmon_process *process);
/*
 * Opens the event and its ring for the calling thread. If `switches` is true,
 * the ring also records context switches. The caller holds the process lock.
 * Returns 0 or -errno.
 */
int selfmon_sampling_open(const struct selfmon_sampling *sampling,
			  bool switches, struct selfmon_ring *ring);
/*
 * Tries to sample an event in the calling thread with the settings of `auto`,
 * and measures the cost. Returns 0, or -errno and sets sampling->failure.
 */
int selfmon_sampling_try(struct selfmon_sampling *sampling, const char *event);

#endif
