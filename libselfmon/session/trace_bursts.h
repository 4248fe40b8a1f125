/* SPDX-License-Identifier: MIT */
/*
 * The bursts of a trace with longer=. Decides which entries are written when a
 * visit lasted longer than its limit, how many, and how often.
 */
#ifndef SELFMON_SESSION_TRACE_BURSTS_H
#define SELFMON_SESSION_TRACE_BURSTS_H

#include <stdint.h>

#include "store/process.h"

/* Time between two computations of the percentiles of regions. */
#define SELFMON_TRACE_LIMITS_NS 1000000000

/* Writes the bursts. Returns the time in ns after which to call it again. */
uint64_t selfmon_trace_read_bursts(struct selfmon_process *process);
/*
 * Clears the trigger, then calls selfmon_trace_read_bursts() and returns its
 * result. Call after a visit has triggered.
 */
uint64_t selfmon_trace_answer(struct selfmon_process *process);
/*
 * Call when the trace ends: adds a note with the number of visits that
 * triggered but are not in the file.
 */
void selfmon_trace_say_left_out(struct selfmon_process *process);

#endif
