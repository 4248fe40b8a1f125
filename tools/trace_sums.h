/* SPDX-License-Identifier: MIT */
/* Sums over the visits of each region of a trace. */
#ifndef SELFMON_TOOLS_TRACE_SUMS_H
#define SELFMON_TOOLS_TRACE_SUMS_H

#include "trace_model.h"

/*
 * The sum of all visits that have the same name and are of the same kind.
 * Recursion: `ns` has only the outermost visits of the name, as the flat view
 * of a report. The other members have all visits.
 */
struct trace_sum {
	const struct trace_visit *longest;
	const struct trace_track *track; /* of the longest visit */
	uint64_t visits, ns;
	uint64_t longer; /* visits that lasted longer than the limit */
};

/*
 * Returns the sums, the one with the most time first, and sets *sums to their
 * number. The tracks must have lanes. The caller frees the array. Returns NULL
 * if out of memory.
 */
struct trace_sum *trace_sums_of(const struct trace *trace, size_t *sums);

#endif
