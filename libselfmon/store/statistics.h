/* SPDX-License-Identifier: MIT */
/* The statistics of one node of one thread. */
#ifndef SELFMON_STORE_STATISTICS_H
#define SELFMON_STORE_STATISTICS_H

#include <selfmon/site.h>

#include "counters/set.h"

/*
 * A log-linear histogram of ticks, four buckets for each power of two of ticks
 * + 4. A bucket that begins at v (including the 4) is v / 4 wide. Its middle is
 * within (v / 4 - 1) / 2 of all values in it: exactly 12.5 % of v - 4. The last
 * bucket takes all from 2^41 ticks (a quarter of an hour) on.
 */
#define SELFMON_BUCKETS 158
#define SELFMON_BUCKET_NONE SELFMON_BUCKETS /* before the first visit */
#define SELFMON_TICKS_LONG (UINT64_C(1) << 41)

struct selfmon_sums {
	uint64_t sum, min, max;
};

/* Rare events, counted in struct selfmon_stats. */
enum selfmon_rare {
	SELFMON_RARE_SKIPPED,	 /* visits counted, not measured (EVERY) */
	SELFMON_RARE_CUT_OFF,	 /* abandoned visits */
	SELFMON_RARE_DISTURBED,	 /* visits in which the leader's lock changed */
	SELFMON_RARE_MOVED,	 /* ends read again because a lock changed */
	SELFMON_RARE_SLOW,	 /* visits with hardware values by read(2) */
	SELFMON_RARE_REPAIRED,	 /* visits with a value repaired */
	SELFMON_RARE_IMPOSSIBLE, /* visits with a value left out */
	SELFMON_RARE_SCALED,	 /* visits with estimates */
	SELFMON_RARE_REFUSED,	 /* visits off the PMU for too long */
	SELFMON_RARE_LOST,	 /* visits with values that were lost */
	SELFMON_RARE_OVERLAPPED, /* visits or children that overlap, or are
				    displaced: the self time is unknown */
	SELFMON_RARE_STACK,	 /* visits begun across a switch of stacks */
	/*
	 * Visits of fibers. Each is counted in the thread that suspends or
	 * resumes it: what is suspended now is the difference over all threads.
	 */
	SELFMON_RARE_SUSPENDED,
	SELFMON_RARE_RESUMED,
	SELFMON_RARE_SUSPENDED_TICKS, /* until they were resumed */
	SELFMON_RARE_COUNT
};

/*
 * Visits that cost their parent more than a usual visit. Each kind is counted
 * here and measured by visit/overhead.c. A visit may be of several kinds.
 */
enum selfmon_kind {
	SELFMON_KIND_SAME,  /* entered while its function has visits open */
	SELFMON_KIND_STEP,  /* each further open visit of that function */
	SELFMON_KIND_FOUND, /* its node was found in the hash table */
	SELFMON_KIND_SPAN,  /* entered by selfmon_enter() */
	SELFMON_KIND_COUNT
};

/*
 * Counts of a detached span's node, which has none of these kinds of visits.
 * Begun spans are counted in the node of the thread that begins them, all else
 * in that of the ending thread.
 */
enum selfmon_async_count {
	SELFMON_ASYNC_BEGUN = SELFMON_KIND_SAME,
	SELFMON_ASYNC_ELSEWHERE =
		SELFMON_KIND_STEP, /* ended on another thread */
	SELFMON_ASYNC_COROUTINE =
		SELFMON_KIND_FOUND, /* begun: regions in coroutines */
};

/* One unit's counts in the visits of a place: store/work.h. */
struct selfmon_work;

/*
 * One writer, the owning thread. Readers retry by the sequence, which is odd
 * during an update. Each update is one visit, so that the sequence also counts
 * visits.
 *
 * The hot part is three cache lines and one of the histogram: the end of the
 * node before it, and up to four counters. With time alone the hot part ends
 * before ticks.max, and is one line.
 */
struct selfmon_stats {
	uint64_t sequence;   /* 2 x visits measured, + 1 in an update */
	uint64_t migrated;   /* of these, visits that ended on another CPU */
	uint64_t last;   /* bucket of the last visit, not in histogram yet */
	uint64_t unusual;    /* times of at least this are; see set_usual() */
	struct selfmon_sums ticks;
	struct selfmon_sums counter[SELFMON_MAX_COUNTERS];
	uint64_t left_out[SELFMON_MAX_COUNTERS]; /* visits without a value */
	uint64_t partial;       /* visits with any value left out ... */
	uint64_t partial_ticks; /* ... and their time */
	uint64_t units[SELFMON_MAX_UNITS]; /* of the visits measured */
	uint64_t scaled_enabled_ns; /* over the visits with estimates */
	uint64_t scaled_off_ns;     /* of this time, off the PMU */
	uint64_t off_ticks[2]; /* off the PMU: first group, further ones */
	/* Not covered by the sequence: each word is updated separately. */
	struct selfmon_work *work; /* units counted here, newest first */
	const uint64_t *slow_limit; /* longer visits are kept: store/slowest.h */
	uint64_t rare[SELFMON_RARE_COUNT];
	uint64_t kind[SELFMON_KIND_COUNT];
	uint64_t histogram[SELFMON_BUCKETS + 1]; /* and SELFMON_BUCKET_NONE */
};

static inline uint64_t selfmon_stats_visits(const struct selfmon_stats *stats)
{
	return stats->sequence / 2;
}

/* Visits inside of another one, at any depth. */
struct selfmon_inside {
	uint64_t measured, skipped;
};

/* Values of measured visits, including the overhead in them. */
struct selfmon_weighted {
	struct selfmon_inside inside;
	uint64_t ticks;
	uint64_t counter[SELFMON_MAX_COUNTERS]; /* by column */
};

/*
 * Follows the statistics of a node if one visit in N is measured
 * (SELFMON_EVERY; store/sample.h). Each word is updated separately.
 *
 * sum: all measured visits but the last, each times the number of visits that
 * it stands for; weights is the sum of these numbers. The last one stands for
 * all visits since its group began: only a reader knows how many.
 */
struct selfmon_sampled {
	uint64_t weights;
	struct selfmon_weighted sum, last;
	uint64_t group, next; /* visits before the group of the last measured
				 visit, and before the next group */
	uint64_t size;        /* size of the next group; 0: no visit yet */
};

#endif
