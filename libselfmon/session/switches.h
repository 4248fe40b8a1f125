/* SPDX-License-Identifier: MIT */
/*
 * Context switches of a thread: where its visits were off the CPU.
 *
 * A thread with @offcpu has a ring buffer in which the kernel records when the
 * thread leaves a CPU and when it comes back. An open visit keeps the ring's
 * head in place of the CPU number, so that the same comparison at its end shows
 * that something happened: a pair costs no instruction more. Each record is of
 * the visits that were open at its position.
 */
#ifndef SELFMON_SESSION_SWITCHES_H
#define SELFMON_SESSION_SWITCHES_H

#include "store/off_cpu.h"
#include "store/process.h"

/* Opens the thread's ring, if the process records switches. */
void selfmon_switches_begin(struct selfmon_process *process,
			    struct selfmon_thread *thread);
/* Reads what is left, and closes the ring. */
void selfmon_switches_end(struct selfmon_thread *thread);

/*
 * Reads the records, and adds them to the open visits. ticks: how long the
 * newest visit took, which ends now; UINT64_MAX: it does not end. Returns true
 * if the thread came back to another CPU during the newest visit.
 */
bool selfmon_switches_read(struct selfmon_thread *thread, uint64_t ticks);

/* Returns true if the thread has a ring now. */
static inline bool selfmon_switches_on(const struct selfmon_thread *thread)
{
	return thread->switches && thread->switches->ring.page;
}

#endif
