/* SPDX-License-Identifier: MIT */
#include "trace_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text, size_t length)
{
	char *const copy = malloc(length + 1);

	if (copy) {
		memcpy(copy, text, length);
		copy[length] = '\0';
	}
	return copy;
}

void trace_take_region(struct trace_reader *reader, const void *block,
		       size_t size)
{
	const struct selfmon_trace_region *const from = block;
	const char *const text = (const char *)(from + 1);
	struct trace *const trace = reader->trace;
	struct trace_region *region;
	size_t room = trace->regions;

	if (size < sizeof(*from) || from->id >= SELFMON_ENDED_SPECIAL ||
	    (uint64_t)from->name_length + from->file_length + 2 >
		    size - sizeof(*from)) {
		trace_damaged(reader, "a region's name is too long");
		return;
	}
	while (from->id >= room && !reader->failed)
		trace->region = trace_grown(reader, trace->region, &room, room,
					    sizeof(*trace->region));
	if (reader->failed)
		return;
	trace->regions = room;
	region = &trace->region[from->id];
	if (region->name)
		return;
	region->name = copy_of(text, from->name_length);
	region->file = copy_of(text + from->name_length + 1, from->file_length);
	region->line = from->line;
	if (!region->name || !region->file) {
		snprintf(reader->why, TRACE_WHY_SIZE, "no memory");
		reader->failed = true;
	}
}

/*
 * Stores a thread's name. If a thread has several names, the last one is used.
 */
void trace_take_thread(struct trace_reader *reader, const void *block,
		       size_t size)
{
	const struct selfmon_trace_thread *const from = block;
	struct trace *const trace = reader->trace;
	struct trace_thread *longer;
	size_t i;

	if (size < sizeof(*from)) {
		trace_damaged(reader, "a thread's block is too short");
		return;
	}
	for (i = 0; i < trace->threads; i++)
		if (trace->thread[i].tid == from->tid)
			break;
	if (i == trace->threads) {
		longer = realloc(trace->thread, (i + 1) * sizeof(*longer));
		if (!longer) {
			snprintf(reader->why, TRACE_WHY_SIZE, "no memory");
			reader->failed = true;
			return;
		}
		trace->thread = longer;
		trace->threads++;
	}
	trace->thread[i].tid = from->tid;
	memcpy(trace->thread[i].name, from->name, sizeof(from->name));
	trace->thread[i].name[sizeof(from->name)] = '\0';
}

void trace_take_column(struct trace_reader *reader, const void *block,
		       size_t size)
{
	const struct selfmon_trace_column *const from = block;
	struct trace *const trace = reader->trace;

	if (size < sizeof(*from) || from->column >= TRACE_COLUMNS_MAX) {
		trace_damaged(reader, "an event's block is too short");
		return;
	}
	memcpy(trace->column[from->column], from->name,
	       sizeof(trace->column[0]) - 1);
	if (from->column >= trace->columns)
		trace->columns = from->column + 1;
}
