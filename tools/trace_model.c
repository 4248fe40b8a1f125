/* SPDX-License-Identifier: MIT */
#include "trace_model.h"

#include <stdlib.h>

void trace_free(struct trace *trace)
{
	size_t i;

	for (i = 0; i < trace->tracks; i++) {
		free(trace->track[i].visit);
		free(trace->track[i].run);
	}
	for (i = 0; i < trace->regions; i++) {
		free(trace->region[i].name);
		free(trace->region[i].file);
	}
	free(trace->track);
	free(trace->region);
	free(trace->thread);
	free(trace->count);
	free(trace);
}

bool trace_has_visits(const struct trace_track *track)
{
	return track->kind == TRACE_THREAD || track->kind == TRACE_FIBER ||
	       track->kind == TRACE_SPANS || track->kind == TRACE_FRAMES;
}

enum trace_what trace_what(const struct trace_track *track)
{
	return track->kind == TRACE_SPANS    ? TRACE_SPAN
	       : track->kind == TRACE_FRAMES ? TRACE_FRAME
					     : TRACE_VISIT;
}

const char *trace_thread_name(const struct trace *trace, uint64_t tid)
{
	size_t i;

	for (i = 0; i < trace->threads; i++)
		if (trace->thread[i].tid == tid)
			return trace->thread[i].name;
	return "";
}

const char *trace_visit_name(const struct trace *trace,
			     const struct trace_visit *visit)
{
	switch (visit->region) {
	case TRACE_PREEMPTED: return "preempted";
	case TRACE_BLOCKED: return "blocked";
	case TRACE_LOST: return "visits are missing here";
	case TRACE_LEFT_OUT: return "not recorded";
	default: return trace->region[visit->region].name;
	}
}
