/* SPDX-License-Identifier: MIT */
/*
 * The statistics of one node of one thread, as they lie in memory and in a
 * live file.
 */
#ifndef SELFMON_REGION_STATISTICS_H
#define SELFMON_REGION_STATISTICS_H

#include "counters/set.h"

/*
 * A log-linear histogram of ticks, four buckets for each power of two of
 * ticks + 4. A bucket that begins at v (with the 4) is v / 4 wide, so that its
 * middle is within (v / 4 - 1) / 2 of all in it: exactly 12.5 % of v - 4. The
 * last bucket takes all from 2^41 ticks (a quarter of an hour) on.
 */
#define SELFMON_BUCKETS 158
#define SELFMON_BUCKET_NONE SELFMON_BUCKETS /* before the first visit */
#define SELFMON_TICKS_LONG (UINT64_C(1) << 41)

struct selfmon_sums {
	uint64_t sum, min, max;
};

/* Happenings that are rare; counted in struct selfmon_stats. */
enum selfmon_rare {
	SELFMON_RARE_SKIPPED,     /* visits counted, not measured (EVERY) */
	SELFMON_RARE_CUT_OFF,     /* visits that never came to their end */
	SELFMON_RARE_FOREIGN,     /* visits left on another thread */
	SELFMON_RARE_DISTURBED,   /* visits in which the leader's lock moved */
	SELFMON_RARE_MOVED,       /* ends read again, as a lock moved */
	SELFMON_RARE_SLOW,        /* visits with hardware values by read(2) */
	SELFMON_RARE_REPAIRED,    /* visits with a value repaired */
	SELFMON_RARE_IMPOSSIBLE,  /* visits with a value left out */
	SELFMON_RARE_SCALED,      /* visits with estimates */
	SELFMON_RARE_REFUSED,     /* visits off the PMU for too long */
	SELFMON_RARE_LOST,        /* visits with values that were lost */
	SELFMON_RARE_OVERLAPPED,  /* children left out of order, displaced */
	SELFMON_RARE_STACK,       /* visits begun across a switch of stacks */
	SELFMON_RARE_COUNT
};

/*
 * Visits that cost their parent more than the usual one: each kind is counted
 * here and measured by region/overhead.c. A visit may be of several kinds.
 */
enum selfmon_kind {
	SELFMON_KIND_SAME,  /* entered while its function has visits open */
	SELFMON_KIND_STEP,  /* and one more for each of these after the first */
	SELFMON_KIND_FOUND, /* its node was found in the hash table */
	SELFMON_KIND_SPAN,  /* entered by selfmon_enter() */
	SELFMON_KIND_COUNT
};

/* Work that the program says a visit did. */
#define SELFMON_UNITS 2 /* SELFMON_IMPL_BYTES, SELFMON_IMPL_ITEMS */

/*
 * One writer, the owning thread; readers retry by the sequence, which is odd
 * while the writer is at work. Each update is one visit, so that the sequence
 * is their count as well. The hot part, a node's before it and up to four
 * counters behind, is three cache lines and one of the histogram; with time
 * alone it ends before ticks.max, and is one.
 */
struct selfmon_stats {
	uint64_t sequence;   /* 2 x visits measured, + 1 in an update */
	uint64_t migrated;   /* of these, ended on another CPU */
	uint64_t last;       /* bucket of the visit not in histogram yet */
	uint64_t unusual;    /* so long, or longer, is; see set_usual() */
	struct selfmon_sums ticks;
	struct selfmon_sums counter[SELFMON_MAX_COUNTERS];
	uint64_t left_out[SELFMON_MAX_COUNTERS]; /* visits without a value */
	uint64_t partial;       /* visits with any value left out ... */
	uint64_t partial_ticks; /* ... and their time */
	uint64_t units[SELFMON_UNITS]; /* of the visits measured */
	uint64_t scaled_enabled_ns; /* over the visits with estimates ... */
	uint64_t scaled_off_ns;     /* ... of this, off the PMU */
	uint64_t off_ticks[2]; /* off the PMU: the first group, further ones */
	/* Not under the sequence: each word on its own. */
	uint64_t units_open[SELFMON_UNITS]; /* of the visit open here */
	uint64_t rare[SELFMON_RARE_COUNT];
	uint64_t kind[SELFMON_KIND_COUNT];
	uint64_t histogram[SELFMON_BUCKETS + 1]; /* and SELFMON_BUCKET_NONE */
};

static inline uint64_t selfmon_stats_visits(const struct selfmon_stats *stats)
{
	return stats->sequence / 2;
}

/* Visits inside of another one, however deep. */
struct selfmon_inside {
	uint64_t measured, skipped;
};

/* What measured visits came to, the overhead that they hold included. */
struct selfmon_weighted {
	struct selfmon_inside inside;
	uint64_t ticks;
	uint64_t counter[SELFMON_MAX_COUNTERS]; /* by column */
};

/*
 * Follows the statistics of a node in memory where one visit in N is measured
 * (SELFMON_EVERY; region/sample.h), and in live files. Each word on its own.
 *
 * sum: of the measured visits but the last one, each times the visits that it
 * stands for; together these are weights. The last one stands for all visits
 * since its group began: only a reader knows how many.
 */
struct selfmon_sampled {
	uint64_t weights;
	struct selfmon_weighted sum, last;
	uint64_t group, next; /* visits before the group of the measured visit
				 last begun, and before the next group ... */
	uint64_t size;        /* ... whose size this is; 0: no visit yet */
};

static inline struct selfmon_sampled *
selfmon_sampled_of(struct selfmon_stats *stats)
{
	return (struct selfmon_sampled *)(void *)(stats + 1);
}

#endif
