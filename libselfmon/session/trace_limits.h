/* SPDX-License-Identifier: MIT */
/* The limits above which visits trigger a trace (longer= of SELFMON_TRACE). */
#ifndef SELFMON_SESSION_TRACE_LIMITS_H
#define SELFMON_SESSION_TRACE_LIMITS_H

#include <regex.h>

#include "store/process.h"
#include "store/trace_spec.h"

/* Call before the trace begins: sets the limit that new regions get. */
void selfmon_trace_limits_begin(const struct selfmon_trace_spec *spec);
/*
 * Compares the names of new regions with `regions`: regions that do not match
 * no longer trigger. If regions is NULL, all regions may trigger.
 */
void selfmon_trace_limits_choose(struct selfmon_process *process,
				 const regex_t *regions);
/*
 * For longer=pN: computes the limit of each region with at least 1000 visits
 * from the histograms.
 */
void selfmon_trace_limits_measure(struct selfmon_process *process,
				  uint32_t above_ppm);
/* Returns true if visits of this region may trigger. */
bool selfmon_trace_limits_has(struct selfmon_process *process,
			      uint32_t region);
/* Returns how many visits have triggered. */
uint64_t selfmon_trace_limits_longer(struct selfmon_process *process);

#endif
