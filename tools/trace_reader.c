/* SPDX-License-Identifier: MIT */
#include "trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *trace_grown(struct trace_reader *reader, void *array, size_t *room,
		  size_t count, size_t size)
{
	const size_t more = *room ? *room * 2 : 64;
	void *longer;

	if (count < *room)
		return array;
	longer = realloc(array, more * size);
	if (!longer) {
		snprintf(reader->why, TRACE_WHY_SIZE, "no memory");
		reader->failed = true;
		return array;
	}
	memset((char *)longer + *room * size, 0, (more - *room) * size);
	*room = more;
	return longer;
}

void trace_damaged(struct trace_reader *reader, const char *what)
{
	if (!reader->failed)
		snprintf(reader->why, TRACE_WHY_SIZE, "the file is damaged: %s",
			 what);
	reader->failed = true;
}

struct trace_track *trace_track_of(struct trace_reader *reader,
				   enum trace_kind kind, uint64_t id)
{
	struct trace *const trace = reader->trace;
	size_t i;

	for (i = 0; i < trace->tracks; i++)
		if (trace->track[i].kind == kind && trace->track[i].id == id)
			return &trace->track[i];
	trace->track = trace_grown(reader, trace->track, &trace->track_room,
				   trace->tracks, sizeof(*trace->track));
	if (reader->failed)
		return NULL;
	trace->track[trace->tracks].kind = kind;
	trace->track[trace->tracks].id = id;
	return &trace->track[trace->tracks++];
}

struct trace_visit *trace_add_visit(struct trace_reader *reader,
				    struct trace_track *track, uint64_t begin,
				    uint64_t end, uint32_t region)
{
	size_t room;

	if (!track || track->visits == UINT32_MAX - 1)
		return NULL;
	room = track->room;
	track->visit = trace_grown(reader, track->visit, &room, track->visits,
				   sizeof(*track->visit));
	if (reader->failed)
		return NULL;
	track->room = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
	track->visit[track->visits] = (struct trace_visit){
		.begin = begin < end ? begin : end,
		.end = end,
		.region = region,
		.order = track->visits,
	};
	return &track->visit[track->visits++];
}

void trace_add_run(struct trace_reader *reader, struct trace_track *track,
		   uint64_t from, uint64_t to, uint64_t burst)
{
	if (!track)
		return;
	track->run = trace_grown(reader, track->run, &track->run_room,
				 track->runs, sizeof(*track->run));
	if (!reader->failed)
		track->run[track->runs++] =
			(struct trace_run){ from, to, burst };
}
