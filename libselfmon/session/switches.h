/* SPDX-License-Identifier: MIT */
/*
 * Context switches of a thread (@offcpu): adds up how long each visit was off
 * the CPU. Callers of all functions but the first hold the ring's lock.
 */
#ifndef SELFMON_SESSION_SWITCHES_H
#define SELFMON_SESSION_SWITCHES_H

#include "store/ring_state.h"

struct perf_event_attr;

/* Size of the record of a switch off or onto the CPU. */
#define SELFMON_SWITCH_SIZE 24u

/* Makes an event also record context switches. */
void selfmon_switches_attr(struct perf_event_attr *attr);
/* Call when the calling thread's ring is opened. */
void selfmon_switches_start(struct selfmon_switches *switches);
/* Converts a duration in ticks to ns. Returns UINT64_MAX for UINT64_MAX. */
uint64_t selfmon_switches_newest_ns(const struct selfmon_switches *switches,
				    uint64_t ticks);
/*
 * Adds the PERF_RECORD_SWITCH at the ring's tail to the visits that were open
 * then. newest is the duration in ns of the newest visit, which ends now, or
 * UINT64_MAX if it does not end.
 */
void selfmon_switches_record(struct selfmon_thread *thread, uint64_t head,
			     uint64_t newest);
/*
 * Call if the records between two positions were lost, before later records are
 * added.
 */
void selfmon_switches_lose(struct selfmon_switches *switches, uint64_t first,
			   uint64_t last);
/*
 * Call from time to time while no records are lost, so that the time of lost
 * ones is exact.
 */
void selfmon_switches_look_again(struct selfmon_switches *switches);
/*
 * Call after records of the calling thread were lost: adds these switches to
 * the visits. switches->lost says where the records were.
 */
void selfmon_switches_take_lost(struct selfmon_thread *thread, uint64_t head,
				uint64_t newest);

#endif
