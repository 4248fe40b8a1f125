/* SPDX-License-Identifier: MIT */
/*
 * Puts the visits of a track in lanes, so that those of one lane nest: what
 * viewers need. Most tracks have one lane. Detached spans, and visits of
 * coroutines that overlap, have more.
 */
#ifndef SELFMON_TOOLS_TRACE_LANES_H
#define SELFMON_TOOLS_TRACE_LANES_H

#include "trace_read.h"

/*
 * Sorts the visits by lane and begin, parents before children. Moves ends that
 * overlap by less than a microsecond, as the timestamps of two CPUs differ.
 * Returns false: no memory.
 */
bool trace_lanes(struct trace_track *track);

#endif
