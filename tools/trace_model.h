/* SPDX-License-Identifier: MIT */
/*
 * A trace in memory: the visits of each thread and fiber, times off the CPU, and
 * where entries are missing.
 */
#ifndef SELFMON_TOOLS_TRACE_MODEL_H
#define SELFMON_TOOLS_TRACE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <selfmon/event.h>

/* A file that exceeds this limit is damaged. */
#define TRACE_COLUMNS_MAX SELFMON_MAX_COUNTERS

/* Size of a line that says why a file cannot be read. */
#define TRACE_WHY_SIZE 160

/* A visit, a time off the CPU, or a time whose entries are missing. */
struct trace_visit {
	uint64_t begin, end; /* ns since the start of the trace */
	/* index of the region, or one of the values below */
	uint32_t region;
	uint32_t counts;     /* index of its counts; 0: it has none */
	/* Order of its end among the visits of its track. */
	uint32_t order;
	uint32_t lane;	     /* see trace_lanes.h */
};

/*
 * Values of `region` for times without a region: the thread was preempted or
 * blocked, entries are missing, or entries between bursts were not written.
 */
#define TRACE_PREEMPTED UINT32_MAX
#define TRACE_BLOCKED (UINT32_MAX - 1)
#define TRACE_LOST (UINT32_MAX - 2)
#define TRACE_LEFT_OUT (UINT32_MAX - 3)
/* Number of the values above. */
#define TRACE_NO_REGIONS 4

enum trace_kind {
	TRACE_THREAD, /* the visits on a thread's own stack */
	TRACE_FIBER,
	TRACE_OFF_CPU, /* of a thread */
	TRACE_GAPS,    /* of a thread: where entries are missing */
	TRACE_FRAMES,  /* of a thread: see selfmon_frame_mark() */
	TRACE_BETWEEN, /* of a thread: between bursts */
	TRACE_LONGER,  /* of a thread: the visits that triggered bursts */
	TRACE_SPANS,   /* all detached spans */
};

/* What a visit is. */
enum trace_what {
	TRACE_VISIT, /* of a region, on a stack */
	TRACE_SPAN,
	TRACE_FRAME,
	TRACE_WHATS
};

struct trace_run {
	uint64_t from, to; /* ticks */
	uint64_t burst;	   /* number of its burst; 0: the trace has no bursts */
};

struct trace_track {
	enum trace_kind kind;
	uint64_t id; /* kernel's thread id, or number of the fiber */
	struct trace_visit *visit;
	uint32_t visits, room, lanes;
	/* When the track's stack ran; empty if no fibers are used. */
	struct trace_run *run;
	size_t runs, run_room;
};

struct trace_region {
	char *name, *file;
	uint32_t line;
	/* visits that lasted longer than the limit, by enum trace_what */
	uint64_t longer[TRACE_WHATS];
};

struct trace_thread {
	uint32_t tid;
	char name[17];
};

struct trace {
	char program[257];
	int pid;
	/* The start: the library's first use, or the first clock block. */
	uint64_t begin_raw_ns, begin_real_ns;
	uint64_t ns;	    /* when the last visit ended, after the start */
	/*
	 * Time from the start of the earliest trace to the start of this one;
	 * set by the caller.
	 */
	uint64_t offset_ns;
	struct trace_track *track;
	size_t tracks, track_room;
	struct trace_region *region; /* by number */
	size_t regions;
	struct trace_thread *thread;
	size_t threads;
	char column[TRACE_COLUMNS_MAX][65];
	size_t columns;
	/*
	 * For each visit with counts: a bit mask of the columns that have a
	 * value, then the values.
	 */
	uint64_t *count;
	size_t counts, count_room;
	uint64_t visits, lost;
	uint64_t bursts, longer; /* longer: visits above the limit */
	uint64_t limit_ns[2];	 /* minimum and maximum of the limits */
	bool cut_off; /* the process did not write the end of the file */
};

void trace_free(struct trace *trace);

/*
 * Returns true if the track has visits: false if it has other times of a thread,
 * or marks visits of another track.
 */
bool trace_has_visits(const struct trace_track *track);
/* Returns what the visits of a track are. */
enum trace_what trace_what(const struct trace_track *track);
/* Returns the thread's name; "" if it is unknown. */
const char *trace_thread_name(const struct trace *trace, uint64_t tid);
/* Returns the name of the visit's region, or of its kind. */
const char *trace_visit_name(const struct trace *trace,
			     const struct trace_visit *visit);

#endif
