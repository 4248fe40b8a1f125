/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace in one pass over its blocks. Times are ticks until all blocks
 * are read; then the first and the last clock block give the rate.
 */
#include "trace_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_entries.h"
#include "trace_fibers.h"
#include "trace_names.h"
#include "trace_reader.h"

/* A file with a longer block is damaged. */
#define BLOCK_MAX ((size_t)1 << 20)

static void take_clock(struct trace_reader *reader, const void *block,
		       size_t size)
{
	if (size < sizeof(reader->last)) {
		trace_damaged(reader, "a clock's block is too short");
		return;
	}
	memcpy(&reader->last, block, sizeof(reader->last));
	if (!reader->clocks)
		reader->first = reader->last;
	reader->clocks = true;
}

static void take_first_use(struct trace_reader *reader, const void *block,
			   size_t size)
{
	const struct selfmon_trace_first_use *const first = block;

	if (size < sizeof(*first)) {
		trace_damaged(reader, "the first use's block is too short");
		return;
	}
	reader->first_use = first->ticks;
}

static void take_block(struct trace_reader *reader, const void *block,
		       size_t size)
{
	const struct selfmon_trace_block *const head = block;

	switch (head->type) {
	case SELFMON_TRACE_CLOCK: take_clock(reader, block, size); break;
	case SELFMON_TRACE_REGION: trace_take_region(reader, block, size); break;
	case SELFMON_TRACE_THREAD: trace_take_thread(reader, block, size); break;
	case SELFMON_TRACE_COLUMN: trace_take_column(reader, block, size); break;
	case SELFMON_TRACE_VISITS: trace_take_visits(reader, block, size); break;
	case SELFMON_TRACE_BURST: trace_take_burst(reader, block, size); break;
	case SELFMON_TRACE_END: reader->trace->cut_off = false; break;
	case SELFMON_TRACE_FIRST_USE: take_first_use(reader, block, size); break;
	}
}

/*
 * Reads a block. Returns false at the end of the file, or if the block is
 * incomplete or damaged.
 */
static bool read_block(struct trace_reader *reader, FILE *file, void *block)
{
	struct selfmon_trace_block *const head = block;

	if (fread(head, 1, sizeof(*head), file) < sizeof(*head))
		return false;
	if (head->size < sizeof(*head) || head->size > BLOCK_MAX ||
	    head->size % 8) {
		trace_damaged(reader, "a block has no valid size");
		return false;
	}
	return fread(head + 1, 1, head->size - sizeof(*head), file) ==
	       head->size - sizeof(*head);
}

static bool read_header(struct trace_reader *reader, FILE *file)
{
	struct selfmon_trace_header header;
	const size_t n = fread(&header, 1, sizeof(header), file);

	if (n < sizeof(header) || memcmp(header.magic, SELFMON_TRACE_MAGIC,
					 sizeof(header.magic)) != 0)
		snprintf(reader->why, TRACE_WHY_SIZE,
			 "not a trace of SELFMON_TRACE");
	else if (header.order != SELFMON_TRACE_ORDER)
		snprintf(reader->why, TRACE_WHY_SIZE,
			 "a trace of a machine with another byte order");
	else if (header.version != SELFMON_TRACE_VERSION ||
		 header.header_size != sizeof(header))
		snprintf(reader->why, TRACE_WHY_SIZE,
			 "a trace of version %u; this program reads version %d",
			 header.version, SELFMON_TRACE_VERSION);
	else {
		memcpy(reader->trace->program, header.program,
		       sizeof(header.program));
		reader->trace->pid = header.pid;
		reader->trace->cut_off = true;
		return true;
	}
	return false;
}

/* ---- times --------------------------------------------------------------- */

/*
 * Makes the library's first use the start of the trace, as in reports. Without
 * its block (a file of an older version), the trace starts with the first clock
 * block. So it does if the block is damaged: no time may be negative.
 */
static void find_start(struct trace_reader *reader, double ns_per_tick)
{
	struct trace *const trace = reader->trace;
	const double before =
		(double)(int64_t)(reader->first.ticks - reader->first_use) *
		ns_per_tick;

	trace->begin_raw_ns = reader->first.raw_ns;
	trace->begin_real_ns = reader->first.real_ns;
	if (!reader->first_use || !(fabs(before) < 0x1p63) ||
	    fabs(before) > (double)trace->begin_raw_ns ||
	    fabs(before) > (double)trace->begin_real_ns) {
		reader->first_use = reader->first.ticks;
		return;
	}
	trace->begin_raw_ns -= (uint64_t)(int64_t)before;
	trace->begin_real_ns -= (uint64_t)(int64_t)before;
}

/* Returns the ns since the start of the trace. */
static uint64_t ns_of(const struct trace_reader *reader, double ns_per_tick,
		      uint64_t ticks)
{
	const int64_t since = (int64_t)(ticks - reader->first_use);
	const double ns = (double)since * ns_per_tick;

	return ns > 0 ? (uint64_t)ns : 0;
}

static void convert_times(struct trace_reader *reader)
{
	struct trace *const trace = reader->trace;
	const uint64_t ticks = reader->last.ticks - reader->first.ticks;
	double rate;
	size_t i;
	uint32_t j;

	if (!ticks) {
		snprintf(reader->why, TRACE_WHY_SIZE,
			 "the process ended before its first visits were "
			 "written");
		reader->failed = true;
		return;
	}
	rate = (double)(reader->last.raw_ns - reader->first.raw_ns) /
	       (double)ticks;
	find_start(reader, rate);
	for (i = 0; i < trace->tracks; i++)
		for (j = 0; j < trace->track[i].visits; j++) {
			struct trace_visit *const visit =
				&trace->track[i].visit[j];

			visit->begin = ns_of(reader, rate, visit->begin);
			visit->end = ns_of(reader, rate, visit->end);
			if (visit->end > trace->ns)
				trace->ns = visit->end;
		}
}

/* ---- the whole ----------------------------------------------------------- */

static void read_file(struct trace_reader *reader, FILE *file)
{
	void *const block = malloc(BLOCK_MAX);

	if (!block) {
		snprintf(reader->why, TRACE_WHY_SIZE, "no memory");
		reader->failed = true;
		return;
	}
	reader->failed = !read_header(reader, file);
	while (!reader->failed && read_block(reader, file, block))
		take_block(reader, block,
			   ((struct selfmon_trace_block *)block)->size);
	if (!reader->failed && ferror(file)) {
		snprintf(reader->why, TRACE_WHY_SIZE, "%s", strerror(errno));
		reader->failed = true;
	}
	if (!reader->failed)
		trace_find_begins(reader);
	if (!reader->failed)
		convert_times(reader);
	free(block);
}

struct trace *trace_read(const char *path, char why[TRACE_WHY_SIZE])
{
	struct trace_reader reader = { .why = why };
	FILE *file;

	reader.trace = calloc(1, sizeof(*reader.trace));
	if (!reader.trace) {
		snprintf(why, TRACE_WHY_SIZE, "no memory");
		return NULL;
	}
	file = fopen(path, "rb");
	if (!file) {
		snprintf(why, TRACE_WHY_SIZE, "%s", strerror(errno));
		trace_free(reader.trace);
		return NULL;
	}
	read_file(&reader, file);
	fclose(file);
	free(reader.ring);
	if (!reader.failed)
		return reader.trace;
	trace_free(reader.trace);
	return NULL;
}
