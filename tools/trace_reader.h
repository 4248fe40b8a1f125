/* SPDX-License-Identifier: MIT */
/*
 * A trace while its file is read, and functions that add visits and runs to it.
 * Times are ticks until the whole file is read.
 */
#ifndef SELFMON_TOOLS_TRACE_READER_H
#define SELFMON_TOOLS_TRACE_READER_H

#include "store/trace_file.h"
#include "trace_model.h"

/* State of a ring after the entries that were read so far. */
struct trace_ring {
	uint32_t tid;
	uint64_t fiber; /* the fiber that runs; 0: the thread's own stack */
	uint64_t from;	/* ticks when the fiber was resumed */
	/*
	 * An entry has switched to this fiber, or to the thread's own stack, and
	 * no entry has ended this run yet. Without such an entry the run ends
	 * before the next burst, or with the trace.
	 */
	bool switched;
	bool has_start; /* the previous entry was a START */
	uint64_t start;
	uint64_t what; /* SELFMON_START_*; LONG if there was no START */
	struct trace_visit *newest; /* the next counts belong to this visit */
	uint64_t newest_end;
	bool gap;	/* entries are missing after newest_end */
	bool between;	/* a burst begins: entries before it were not written */
	uint64_t burst; /* number of the burst; 0: none so far */
};

struct trace_reader {
	struct trace *trace;
	struct trace_ring *ring;
	size_t rings;
	struct selfmon_trace_clock first, last;
	bool clocks; /* first and last are set */
	uint64_t first_use; /* ticks of the library's first use; 0: unknown */
	char *why; /* TRACE_WHY_SIZE bytes */
	bool failed;
};

/*
 * Returns the array with room for at least one element more than `count`; new
 * elements are 0. If out of memory, sets reader->failed, and returns the array
 * unchanged.
 */
void *trace_grown(struct trace_reader *reader, void *array, size_t *room,
		  size_t count, size_t size);
/* Sets reader->failed, with the reason that the file is damaged. */
void trace_damaged(struct trace_reader *reader, const char *what);

/* Finds or adds a track. Returns NULL if there is no memory. */
struct trace_track *trace_track_of(struct trace_reader *reader,
				   enum trace_kind kind, uint64_t id);
/*
 * Adds a visit. Returns the visit, or NULL if track is NULL or full, or if out
 * of memory.
 */
struct trace_visit *trace_add_visit(struct trace_reader *reader,
				    struct trace_track *track, uint64_t begin,
				    uint64_t end, uint32_t region);
/*
 * Records that the stack of a track (a thread's or a fiber's) ran from `from` to
 * `to`, in ticks. burst is as in struct trace_run. Does nothing if track is
 * NULL.
 */
void trace_add_run(struct trace_reader *reader, struct trace_track *track,
		   uint64_t from, uint64_t to, uint64_t burst);

#endif
