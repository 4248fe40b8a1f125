/* SPDX-License-Identifier: MIT */
/* Walks over the begins and ends of a lane's visits, in the order of time. */
#ifndef SELFMON_TOOLS_TRACE_WALK_H
#define SELFMON_TOOLS_TRACE_WALK_H

#include "trace_read.h"

/* depth: 0 is the outermost visit. */
struct trace_walk {
	void (*begin)(void *context, const struct trace_visit *visit,
		      size_t depth);
	void (*end)(void *context, const struct trace_visit *visit,
		    size_t depth);
	void *context;
};

/*
 * Calls the functions for the visits of a track, which trace_lanes() sorted,
 * from *next on and to the end of their lane. Advances *next. Returns false: no
 * memory.
 */
bool trace_walk(const struct trace_track *track, uint32_t *next,
		const struct trace_walk *walk);

#endif
