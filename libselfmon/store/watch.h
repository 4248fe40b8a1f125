/* SPDX-License-Identifier: MIT */
/*
 * The limits of each region, over all threads. A visit that lasts longer than
 * the smallest of them leaves the fast path: it may be one of the slowest
 * (SELFMON_RECORD), trigger the trace (longer= of SELFMON_TRACE), or be
 * reported to the program (selfmon_options.longer).
 */
#ifndef SELFMON_STORE_WATCH_H
#define SELFMON_STORE_WATCH_H

#include "store/process.h"
#include "store/recorder.h"

/* Value of a limit that means: no limit. */
#define SELFMON_WATCH_NONE SELFMON_ENDED_TICKS_MAX
/*
 * Maximum limit of a node. Longer visits always take the slow path, because the
 * fast path cannot count them in the histogram.
 */
#define SELFMON_WATCH_LIMIT_MAX (SELFMON_TICKS_LONG - 1)
/* Number of lists. The low bits of a region's number select its list. */
#define SELFMON_WATCH_LISTS 1024u

/* Limits are ticks. They change with slow_lock held. */
struct selfmon_watch {
	uint64_t limit; /* the minimum, at most SELFMON_WATCH_LIMIT_MAX */
	uint64_t trigger; /* longer visits trigger the trace */
	uint64_t call;	  /* longer visits are reported to the program */
	/* NULL: the slowest visits are not stored. */
	struct selfmon_slowest *slowest;
	/*
	 * The highest limit of `slowest` in earlier intervals, or time of a
	 * visit in progress that took the place of the limit.
	 */
	uint64_t before;
	uint64_t longer; /* visits that triggered */
	uint64_t *histogram; /* for the trace's writer; NULL: not needed */
	struct selfmon_watch *next;
	uint32_t region;
	/*
	 * True if left_out is valid: there is no regions=, or the writer has
	 * matched the name.
	 */
	bool chosen;
	bool left_out; /* regions= of SELFMON_TRACE excludes the region */
};

/*
 * For a new node: makes the watch of its region, if visits may have limits. The
 * caller holds the process lock.
 */
void selfmon_watch_begin(struct selfmon_process *process,
			 const struct selfmon_thread *thread, uint32_t region);
/*
 * Returns the first watch of one of SELFMON_WATCH_LISTS lists, or NULL if it is
 * empty; watch->next is the following one. Needs no lock.
 */
static inline struct selfmon_watch *
selfmon_watch_first(struct selfmon_process *process, size_t list)
{
	/* Acquire: the lists, and the watch that is returned, are complete. */
	struct selfmon_watch **const lists =
		__atomic_load_n(&process->watch, __ATOMIC_ACQUIRE);

	return lists ? __atomic_load_n(&lists[list], __ATOMIC_ACQUIRE) : NULL;
}

/*
 * Returns the watch of a region; NULL: its visits have no limit. Needs no lock.
 */
struct selfmon_watch *selfmon_watch_of(struct selfmon_process *process,
				       uint32_t region);

/*
 * Sets the limit above which visits of a region trigger the trace. If the limit
 * is lower than before, call selfmon_limits_recall().
 */
void selfmon_watch_trigger(struct selfmon_process *process,
			   struct selfmon_watch *watch, uint64_t ticks);

/*
 * Measures the rate of a clock that does not state its rate, which may take
 * 1 ms. Call it before the functions below, which convert times. The result
 * differs from the rate in reports by at most 0.1 %.
 */
void selfmon_watch_clock(void);
uint64_t selfmon_watch_ticks(uint64_t ns);
uint64_t selfmon_watch_ns(uint64_t ticks);
/*
 * Converts a limit of a watch. Returns the limit that was asked for, and not a
 * rounded one, unless the limit is a percentile.
 */
uint64_t selfmon_watch_limit_ns(uint64_t ticks);

/*
 * Call with slow_lock held, after a limit has changed. If it is lower than
 * before, call selfmon_limits_recall().
 */
static inline void selfmon_watch_update(struct selfmon_watch *watch,
					uint64_t slowest)
{
	uint64_t limit = SELFMON_WATCH_LIMIT_MAX;

	if (slowest < limit)
		limit = slowest;
	if (watch->trigger < limit)
		limit = watch->trigger;
	if (watch->call < limit)
		limit = watch->call;
	selfmon_store_once(&watch->limit, limit);
}

#endif
