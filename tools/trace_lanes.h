/* SPDX-License-Identifier: MIT */
/*
 * Distributes the visits of a track over lanes, so that the visits of each lane
 * nest, as viewers require. Most tracks have one lane. Detached spans, and
 * visits of coroutines that overlap, need more.
 */
#ifndef SELFMON_TOOLS_TRACE_LANES_H
#define SELFMON_TOOLS_TRACE_LANES_H

#include "trace_model.h"

/*
 * Sorts the visits by lane and start, parents before children. If visits
 * overlap by at most a microsecond, because the timestamps of two CPUs differ,
 * moves their starts or ends. Returns false if out of memory.
 */
bool trace_lanes(struct trace_track *track);

#endif
