/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a trace's file that have clocks and the names of events,
 * threads and regions. Also declares the data that the writer's source files
 * share.
 */
#ifndef SELFMON_SESSION_TRACE_BLOCKS_H
#define SELFMON_SESSION_TRACE_BLOCKS_H

#include <regex.h>

#include "store/process.h"
#include "store/recorder.h"
#include "store/trace_spec.h"

/* Limit of the regions' numbers; see PAGES_MAX in store/name.c. */
#define SELFMON_TRACE_REGIONS_MAX (UINT32_C(1) << 22)

/* The trace of this process. Once it has begun, only the writer changes it. */
struct selfmon_trace {
	struct selfmon_trace_spec spec;
	regex_t regions; /* compiled from spec.regions, if set */
	/* REGION_* of trace_blocks.c by region number. */
	uint8_t *region;
	uint32_t clocks, columns;    /* blocks written so far */
	uint64_t clock_ns, names_ns; /* time of last clock, names */
	/* entries read; entries overwritten or skipped before */
	uint64_t entries, lost;
	int error; /* -errno of the file; if set, nothing more is written */
	bool bursts;		/* longer=: only bursts are written */
	bool has_first_use;	/* its block is in the file */
	uint64_t limits_ns; /* time when the percentiles were last computed */
	uint64_t marked;    /* visits in the file that triggered a burst */
	/* Visits that triggered, but exceed the limits of rate or size. */
	uint64_t over_rate, over_size;
};
extern struct selfmon_trace selfmon_trace;

/* The writer's data about the ring of a thread. */
struct selfmon_traced {
	uint64_t read;	    /* number of entries read or lost so far */
	uint64_t unwritten; /* entries left unwritten by a handler's jump */
	/*
	 * Position of the recorder when the writer last found unwritten
	 * entries.
	 */
	uint64_t position;
	/*
	 * Number of readings that found unwritten entries although the thread
	 * had reserved new ones since the previous reading. 0 after a reading
	 * that found none.
	 */
	uint32_t unsettled;
	uint32_t tid; /* of the ring's owner, by the entries read */
	/*
	 * With longer=: the end of the last burst, whether it was written or
	 * left out.
	 */
	uint64_t looked;
	uint64_t allowed_ns; /* see may_write() of trace_bursts.c */
	/* Visits that triggered: in the file, and not in the file. */
	uint64_t marked, left_out;
	bool held; /* the rate limit has delayed the next burst */
	char name[SELFMON_THREAD_NAME];	  /* last name in the file */
	char ending[SELFMON_THREAD_NAME]; /* name of an exiting thread */
};

/* Adds a note to the report: `what`, followed by `why`. */
void selfmon_trace_note(const char *what, const char *why);
/*
 * Appends a block to the file. If the file cannot grow, adds a note, and
 * nothing more is written.
 */
void selfmon_trace_add(const void *block);

/*
 * Writes a pair of clock readings and, once it is known, the time of the
 * library's first use.
 */
void selfmon_trace_write_clock(void);
/*
 * Writes a pair of clock readings if the file has fewer than two pairs, or if
 * CLOCK_NS has passed since the last one. Call before visits are written, so
 * that the file has two pairs even if the process is killed after the visits.
 */
void selfmon_trace_write_due_clock(void);
/*
 * Writes the names of new columns. The process has one list of them for all
 * threads, since threads open the same events.
 */
void selfmon_trace_write_columns(struct selfmon_process *process);

/* Writes the thread's name if it is known ("" is not) and a new one. */
void selfmon_trace_write_name(struct selfmon_traced *traced, const char *name);
/*
 * Writes the name that the kernel has for the thread, if it is a new one and
 * the thread still runs.
 */
void selfmon_trace_look_up_name(struct selfmon_traced *traced);
/* The ring's entries are now those of this thread. Looks up its name. */
void selfmon_trace_owned_by(struct selfmon_traced *traced, uint32_t tid);
/* Takes an entry about the owner: its id, or a part of its name. */
void selfmon_trace_take_owner(struct selfmon_traced *traced,
			      const struct selfmon_ended *entry);
/*
 * Looks up the names of all threads and writes new ones. The second function
 * does so only if NAMES_NS has passed since the last time.
 */
void selfmon_trace_write_names(struct selfmon_process *process);
void selfmon_trace_write_due_names(struct selfmon_process *process);

/*
 * Returns true if the region's visits belong in the file. Writes the region's
 * name first.
 */
bool selfmon_trace_has_region(uint32_t id);

#endif
