/* SPDX-License-Identifier: MIT */
/*
 * The slowest visits of each region, by all threads (SELFMON_RECORD). In the
 * live file if there is one.
 */
#ifndef SELFMON_STORE_SLOWEST_H
#define SELFMON_STORE_SLOWEST_H

#include "store/process.h"
#include "store/recorder.h"

/* Visits kept of a region. */
#define SELFMON_SLOW_VISITS 8u
/* The parts kept of a visit: the longest ones. */
#define SELFMON_SLOW_PARTS 64u
/* Regions whose visits are kept: 11 KiB each. */
#define SELFMON_SLOW_REGIONS 1024u

#define SELFMON_SLOW_MOVED UINT32_C(1)	     /* it ended on another CPU */
#define SELFMON_SLOW_RESUMED UINT32_C(2)     /* suspended meanwhile: no parts */
#define SELFMON_SLOW_OVERWRITTEN UINT32_C(4) /* its first parts are unknown */
#define SELFMON_SLOW_ALONE UINT32_C(8)	     /* a detached span: no parts */

/* A visit inside, at any depth, or a time off the CPU. */
struct selfmon_slow_part {
	uint64_t begin; /* ticks after the visit began */
	uint64_t ticks_region; /* as in struct selfmon_ended */
};

struct selfmon_slow_visit {
	uint64_t ticks; /* stored last; 0: free, or being written */
	uint64_t start; /* ticks */
	uint64_t real_ns; /* CLOCK_REALTIME at its end */
	uint32_t tid, cpu; /* cpu: at its end */
	uint32_t flags;	   /* SELFMON_SLOW_* */
	uint32_t values;   /* bits: columns that have a value */
	uint64_t inner;	   /* parts found, kept or not */
	uint64_t parts;	   /* parts kept */
	uint64_t value[SELFMON_MAX_COUNTERS]; /* by column */
	struct selfmon_slow_part part[SELFMON_SLOW_PARTS];
};

/*
 * A visit is written to the slot that is free, before the fastest one is given
 * up: a process that is killed meanwhile leaves the others whole.
 */
#define SELFMON_SLOW_SLOTS (SELFMON_SLOW_VISITS + 1)

struct selfmon_slowest {
	struct selfmon_record record;
	uint32_t region;
	uint32_t reserved;
	uint64_t limit; /* longer visits are kept; at most
			   SELFMON_ENDED_TICKS_MAX */
	struct selfmon_slowest *next;
	struct selfmon_slow_visit visit[SELFMON_SLOW_SLOTS];
};

/*
 * Returns the limit of a region whose visits the thread keeps, made if need be,
 * for a new node. Under the process lock.
 */
const uint64_t *selfmon_slowest_limit(struct selfmon_process *process,
				      const struct selfmon_thread *thread,
				      uint32_t region);
/*
 * Keeps a visit, if it is still one of the slowest. Async-signal-safe; blocks
 * signals, and takes a lock for microseconds.
 */
void selfmon_slowest_keep(const struct selfmon_thread *thread,
			  const struct selfmon_recorded_visit *visit);
/*
 * Copies a region's visits for a reader of the process. Returns how many there
 * are.
 */
size_t selfmon_slowest_read(struct selfmon_process *process,
			    const struct selfmon_slowest *slowest,
			    struct selfmon_slow_visit visit[SELFMON_SLOW_VISITS]);

#endif
