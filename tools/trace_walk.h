/* SPDX-License-Identifier: MIT */
/*
 * Iterates over the starts and ends of a lane's visits, in the order of time.
 */
#ifndef SELFMON_TOOLS_TRACE_WALK_H
#define SELFMON_TOOLS_TRACE_WALK_H

#include "trace_model.h"

/*
 * Functions that are called at the start and the end of each visit. depth is 0
 * for an outermost visit.
 */
struct trace_walk {
	void (*begin)(void *context, const struct trace_visit *visit,
		      size_t depth);
	void (*end)(void *context, const struct trace_visit *visit,
		    size_t depth);
	void *context;
};

/*
 * Calls the functions for the visits from *next to the end of their lane.
 * trace_lanes() must have sorted the track's visits. Advances *next. Returns
 * false if out of memory.
 */
bool trace_walk(const struct trace_track *track, uint32_t *next,
		const struct trace_walk *walk);

#endif
