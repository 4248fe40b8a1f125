/* SPDX-License-Identifier: MIT */
/*
 * Context switches of a thread (@offcpu): where its visits were off the CPU.
 * All but the first function are called under the ring's lock.
 */
#ifndef SELFMON_SESSION_SWITCHES_H
#define SELFMON_SESSION_SWITCHES_H

#include "store/ring_state.h"

struct perf_event_attr;

/* Makes the event record switches as well. */
void selfmon_switches_attr(struct perf_event_attr *attr);
/* The calling thread begins. */
void selfmon_switches_start(struct selfmon_switches *switches);
/* Returns how long ago ticks was, in ns; UINT64_MAX for UINT64_MAX. */
uint64_t selfmon_switches_newest_ns(const struct selfmon_switches *switches,
				    uint64_t ticks);
/*
 * Adds the PERF_RECORD_SWITCH at the ring's tail to the visits that were open
 * then. newest: duration in ns of the newest visit, which ends now; UINT64_MAX:
 * it does not end.
 */
void selfmon_switches_record(struct selfmon_thread *thread, uint64_t head,
			     uint64_t newest);
/* The calling thread's ring was full: adds what the kernel left out. */
void selfmon_switches_take_lost(struct selfmon_thread *thread, uint64_t head,
				uint64_t newest);

#endif
