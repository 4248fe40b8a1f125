/* SPDX-License-Identifier: MIT */
/*
 * The slowest visits of each region, over all threads (SELFMON_RECORD): since
 * the start, and in the interval since the last report. They are stored in the
 * live file if there is one.
 */
#ifndef SELFMON_STORE_SLOWEST_H
#define SELFMON_STORE_SLOWEST_H

#include "store/process.h"
#include "store/recorder.h"

/*
 * Number of visits stored for each region: since the start, and in the
 * interval.
 */
#define SELFMON_SLOW_VISITS 8u
/* Maximum number of parts stored for each visit. These are the longest ones. */
#define SELFMON_SLOW_PARTS 64u
/*
 * Parts shorter than 1 / SELFMON_SLOW_FRACTION of a visit need not be recorded:
 * in a drawing of the visit they are narrower than a pixel.
 */
#define SELFMON_SLOW_FRACTION 1024u
/* Maximum number of regions whose slow visits are stored, with 20 KiB each. */
#define SELFMON_SLOW_REGIONS 1024u

#define SELFMON_SLOW_MOVED UINT32_C(1)	     /* ended on another CPU */
#define SELFMON_SLOW_RESUMED UINT32_C(2)     /* was suspended; has no parts */
#define SELFMON_SLOW_OVERWRITTEN UINT32_C(4) /* first parts are unknown */
#define SELFMON_SLOW_ALONE UINT32_C(8)	     /* detached span: has no parts */
#define SELFMON_SLOW_OFF_CPU UINT32_C(16)    /* off_cpu is known */

/* A visit inside of the slow one, at any depth, or a time off the CPU. */
struct selfmon_slow_part {
	uint64_t begin; /* ticks after the slow visit began */
	uint64_t ticks_region; /* as in struct selfmon_ended */
};

struct selfmon_slow_visit {
	/* The duration, stored last. 0: the slot is free or being written. */
	uint64_t ticks;
	uint64_t serial; /* 1, 2 ... in the process, in the order of storing */
	uint64_t start; /* ticks */
	uint64_t real_ns; /* CLOCK_REALTIME at the visit's end */
	uint32_t tid, cpu; /* cpu: at the visit's end */
	uint32_t flags;	   /* SELFMON_SLOW_* */
	uint32_t values;   /* bit k is set if column k has a value */
	/* Ticks after the start: parts that ended earlier are unknown. */
	uint64_t known;
	/*
	 * Shorter parts, in ticks, may be missing. 0: parts shorter than 1 /
	 * SELFMON_SLOW_FRACTION of the visit may be.
	 */
	uint64_t listed;
	/* All its times off the CPU, also those that are no parts. */
	struct selfmon_off_cpu off_cpu;
	uint64_t inner;	   /* number of parts found, stored or not */
	uint64_t parts;	   /* number of parts stored */
	uint64_t value[SELFMON_MAX_COUNTERS]; /* by column */
	struct selfmon_slow_part part[SELFMON_SLOW_PARTS];
};

/*
 * A visit that is one of the slowest both since the start and of the interval
 * uses one slot. A visit is written to a free slot before another one is
 * removed. So if the process is killed during the write, the other visits are
 * complete.
 */
#define SELFMON_SLOW_SLOTS (2 * SELFMON_SLOW_VISITS + 1)

struct selfmon_slowest {
	struct selfmon_record record;
	uint32_t region;
	uint32_t reserved;
	/* Only longer visits are stored; at most SELFMON_ENDED_TICKS_MAX. */
	uint64_t limit;
	uint64_t begin; /* visits of the interval have larger serial numbers */
	struct selfmon_slowest *next;
	struct selfmon_slow_visit visit[SELFMON_SLOW_SLOTS];
};

/*
 * Allocates the storage for a region's slowest visits. Returns NULL if out of
 * memory, or if there are too many regions. The caller holds the process lock.
 */
struct selfmon_slowest *selfmon_slowest_of(struct selfmon_process *process,
					   uint32_t region);
/*
 * Stores a visit if it is still one of the slowest of its region. Its parts that
 * are shorter than `listed` ticks may have no entry in the recorder.
 * watch->slowest must not be NULL. Async-signal-safe: blocks signals, and takes
 * a lock for microseconds.
 */
struct selfmon_watch;
void selfmon_slowest_keep(const struct selfmon_thread *thread,
			  struct selfmon_watch *watch,
			  const struct selfmon_recorded_visit *visit,
			  uint64_t listed);
/*
 * Begins an interval. Returns the newest serial number: all visits of the new
 * interval have larger ones. *before receives the number that was returned for
 * the interval that ends now, or 0. Lowers limits: call selfmon_limits_recall()
 * afterwards, then selfmon_slowest_begun().
 */
uint64_t selfmon_slowest_begin(struct selfmon_process *process,
			       uint64_t *before);
/*
 * All nodes now have the limits of the new interval: visits that begin from now
 * on have all parts that these limits require.
 */
void selfmon_slowest_begun(struct selfmon_process *process);
/*
 * Copies the visits of a region for a reader in the process, in any order.
 * Returns their number; some may not be among the slowest ones.
 */
size_t selfmon_slowest_read(struct selfmon_process *process,
			    const struct selfmon_slowest *slowest,
			    struct selfmon_slow_visit visit[SELFMON_SLOW_SLOTS]);

#endif
