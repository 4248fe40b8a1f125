/* SPDX-License-Identifier: MIT */
/* The statistics of one node, which belongs to one thread. */
#ifndef SELFMON_STORE_STATISTICS_H
#define SELFMON_STORE_STATISTICS_H

#include <selfmon/site.h>

#include "counters/set.h"

/*
 * A log-linear histogram of ticks, with four buckets for each power of two of
 * ticks + 4. A bucket that begins at v (in ticks + 4) is v / 4 wide. Its middle
 * is within (v / 4 - 1) / 2 of each value in it, which is 12.5 % of v - 4. The
 * last bucket takes all times from 2^41 ticks (a quarter of an hour) on.
 */
#define SELFMON_BUCKETS 158
#define SELFMON_BUCKET_NONE SELFMON_BUCKETS /* before the first visit */
#define SELFMON_TICKS_LONG (UINT64_C(1) << 41)

/* Returns the shortest time of a bucket, in ticks. */
static inline uint64_t selfmon_bucket_low(unsigned int bucket)
{
	if (bucket >= SELFMON_BUCKETS - 1)
		return SELFMON_TICKS_LONG;
	return ((uint64_t)(4 + bucket % 4) << bucket / 4) - 4;
}

struct selfmon_sums {
	uint64_t sum, min, max;
};

/* Rare events that are counted in struct selfmon_stats. */
enum selfmon_rare {
	SELFMON_RARE_SKIPPED,	 /* visits that were only counted (EVERY) */
	SELFMON_RARE_CUT_OFF,	 /* abandoned visits */
	/* Visits during which the leader's lock changed. */
	SELFMON_RARE_DISTURBED,
	/* Ends that were read again because a lock changed. */
	SELFMON_RARE_MOVED,
	SELFMON_RARE_SLOW, /* visits whose hardware values needed read(2) */
	SELFMON_RARE_REPAIRED,	 /* visits with a value that was repaired */
	SELFMON_RARE_IMPOSSIBLE, /* visits with an impossible value, left out */
	SELFMON_RARE_SCALED,	 /* visits with estimates */
	/* Visits whose group was off the PMU for too long. */
	SELFMON_RARE_REFUSED,
	SELFMON_RARE_LOST,	 /* visits with values that were lost */
	SELFMON_RARE_OVERLAPPED, /* visits or children that overlap or are in
				  * another node: the self time is unknown */
	SELFMON_RARE_STACK,	 /* visits whose code switched stacks */
	/*
	 * Suspensions and resumptions of visits of fibers. Each is counted in
	 * the thread that does it. The number of visits suspended now is the
	 * difference over all threads.
	 */
	SELFMON_RARE_SUSPENDED,
	SELFMON_RARE_RESUMED,
	SELFMON_RARE_SUSPENDED_TICKS, /* until they were resumed */
	SELFMON_RARE_COUNT
};

/*
 * Kinds of visits that cost their parent more than a usual visit. Each kind is
 * counted here, and its cost is measured by visit/overhead.c. A visit may be of
 * several kinds.
 */
enum selfmon_kind {
	/* Entered while its function has other visits open. */
	SELFMON_KIND_SAME,
	SELFMON_KIND_STEP,  /* each further open visit of that function */
	SELFMON_KIND_FOUND, /* the node was found in the hash table */
	SELFMON_KIND_SPAN,  /* entered by selfmon_enter() */
	SELFMON_KIND_COUNT
};

/*
 * Counts in the node of a detached span; no visit of such a node is of the
 * kinds above. The thread that begins spans counts them in its own node;
 * everything else is counted in the node of the thread that ends them.
 */
enum selfmon_async_count {
	SELFMON_ASYNC_BEGUN = SELFMON_KIND_SAME,
	SELFMON_ASYNC_ELSEWHERE =
		SELFMON_KIND_STEP, /* ended on another thread */
	SELFMON_ASYNC_COROUTINE =
		SELFMON_KIND_FOUND, /* begun: regions in coroutines */
	/* Begun, and not in BEGUN: frames, counted when they end. */
	SELFMON_ASYNC_FRAME = SELFMON_KIND_SPAN,
};

/* The counts of one unit in a node's visits: store/work.h. */
struct selfmon_work;

/*
 * The statistics have one writer, the owning thread. Readers retry if the
 * sequence changed; the sequence is odd during an update. Each update is one
 * visit, so that the sequence also counts the visits.
 *
 * The frequently used part is three cache lines and one of the histogram: the
 * end of the node in front of the statistics, and up to four counters. With
 * time alone it ends before ticks.max, and is one line.
 */
struct selfmon_stats {
	uint64_t sequence;   /* 2 * measured visits, + 1 during an update */
	uint64_t migrated;   /* measured visits that ended on another CPU */
	uint64_t last; /* bucket of the last visit, not yet in the histogram */
	uint64_t unusual; /* times from here on are unusual; see set_usual() */
	struct selfmon_sums ticks;
	struct selfmon_sums counter[SELFMON_MAX_COUNTERS];
	uint64_t left_out[SELFMON_MAX_COUNTERS]; /* visits without a value */
	uint64_t partial;       /* visits that lack any value ... */
	uint64_t partial_ticks; /* ... and their time */
	uint64_t units[SELFMON_MAX_UNITS]; /* of the visits measured */
	uint64_t scaled_enabled_ns; /* totals over the visits with estimates */
	uint64_t scaled_off_ns;     /* the part of it that was off the PMU */
	/* Time off the PMU: first group, further groups. */
	uint64_t off_ticks[2];
	/* Not covered by the sequence: each word is updated separately. */
	struct selfmon_work *work; /* the units counted here, newest first */
	/* Longer visits are looked at: store/watch.h. */
	const uint64_t *slow_limit;
	uint64_t rare[SELFMON_RARE_COUNT];
	uint64_t kind[SELFMON_KIND_COUNT];
	uint64_t histogram[SELFMON_BUCKETS + 1]; /* and SELFMON_BUCKET_NONE */
};

static inline uint64_t selfmon_stats_visits(const struct selfmon_stats *stats)
{
	return stats->sequence / 2;
}

/* Visits inside of another visit, at any depth. */
struct selfmon_inside {
	uint64_t measured, skipped;
};

/* Values of measured visits, including the overhead in these. */
struct selfmon_weighted {
	struct selfmon_inside inside;
	uint64_t ticks;
	uint64_t counter[SELFMON_MAX_COUNTERS]; /* by column */
};

/*
 * Follows a node's statistics if one visit in N is measured (SELFMON_EVERY,
 * store/sample.h). Each word is updated separately.
 *
 * sum covers all measured visits but the last, each multiplied by the number of
 * visits for which it stands. weights is the sum of these numbers. The last
 * measured visit stands for all visits since its group began; only a reader
 * knows that number.
 */
struct selfmon_sampled {
	uint64_t weights;
	struct selfmon_weighted sum, last;
	uint64_t group, next; /* number of visits before the group of the
			       * last measured visit, and before the next
			       * group */
	uint64_t size; /* size of the next group; 0 before the first visit */
};

#endif
