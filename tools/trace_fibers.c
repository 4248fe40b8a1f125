/* SPDX-License-Identifier: MIT */
#include "trace_fibers.h"

#include <stdlib.h>

struct trace_track *trace_stack_of(struct trace_reader *reader,
				   const struct trace_ring *ring)
{
	return ring->fiber ? trace_track_of(reader, TRACE_FIBER, ring->fiber)
			   : trace_track_of(reader, TRACE_THREAD, ring->tid);
}

void trace_take_switch(struct trace_reader *reader, struct trace_ring *ring,
		       uint64_t now, uint64_t fiber)
{
	ring->switched = fiber != SELFMON_ENDED_NO_FIBER;
	if (!ring->switched) {
		trace_add_run(reader, trace_stack_of(reader, ring), ring->from,
			      now, ring->burst);
		return;
	}
	ring->fiber = fiber;
	ring->from = now;
}

static int by_from(const void *left, const void *right)
{
	const struct trace_run *const a = left, *const b = right;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* Returns the number of the track's runs that began before this time. */
static size_t runs_before(const struct trace_track *track, uint64_t time)
{
	size_t low = 0, high = track->runs;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (track->run[middle].from < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns when a visit of a fiber began. The recorded time of the visit covers
 * only the runs of the fiber. So the function goes back from the visit's end
 * until the runs add up to this time. It stops at an earlier burst, because the
 * runs between two bursts are unknown.
 */
static uint64_t real_begin(const struct trace_track *track,
			   const struct trace_visit *visit)
{
	uint64_t ticks = visit->end - visit->begin, end = visit->end;
	size_t i = runs_before(track, visit->end);
	const uint64_t burst = i ? track->run[i - 1].burst : 0;

	if (!i)
		return visit->begin;
	while (i--) {
		const struct trace_run *const run = &track->run[i];

		if (run->burst != burst)
			return run[1].from;
		if (run->to < end)
			end = run->to;
		if (end < run->from)
			continue;
		if (ticks <= end - run->from)
			return end - ticks;
		ticks -= end - run->from;
	}
	return track->run[0].from;
}

void trace_find_begins(struct trace_reader *reader)
{
	struct trace_track *track;
	size_t i;
	uint32_t j;

	for (i = 0; i < reader->rings; i++)
		if (reader->ring[i].switched)
			trace_add_run(reader,
				      trace_stack_of(reader, &reader->ring[i]),
				      reader->ring[i].from, UINT64_MAX,
				      reader->ring[i].burst);
	for (i = 0; i < reader->trace->tracks && !reader->failed; i++) {
		track = &reader->trace->track[i];
		if (!track->runs)
			continue;
		qsort(track->run, track->runs, sizeof(*track->run), by_from);
		for (j = 0; j < track->visits; j++)
			track->visit[j].begin =
				real_begin(track, &track->visit[j]);
	}
}
