/* SPDX-License-Identifier: MIT */
/* The statistics of one node, which belongs to one thread. */
#ifndef SELFMON_STORE_STATISTICS_H
#define SELFMON_STORE_STATISTICS_H

#include <selfmon/site.h>

#include "counters/set.h"

/*
 * A log-linear histogram of ticks, with four buckets for each power of two of
 * ticks + 4. A bucket that begins at v ticks, with w = v + 4, has a width of at
 * most w / 4. Its middle differs from each value in it by at most (w / 4 - 1) /
 * 2, which is 12.5 % of v. The last bucket has all times of at least 2^41 ticks
 * (a quarter of an hour at 2.4 GHz).
 *
 * Times in the first 120 buckets are short: below 2^32 - 4 ticks, which is
 * about a second or more. Only the slow path counts a long time, and a word of
 * 32 bits is enough for its bucket: 2^32 long visits would take 2^64 ticks,
 * more than the sum of the times can have.
 */
#define SELFMON_BUCKETS 158
#define SELFMON_BUCKETS_SHORT 120
#define SELFMON_BUCKETS_LONG (SELFMON_BUCKETS - SELFMON_BUCKETS_SHORT)
/* Value of `last` before the first visit, and after a long visit. */
#define SELFMON_BUCKET_NONE SELFMON_BUCKETS_SHORT
#define SELFMON_TICKS_LONG ((UINT64_C(1) << 32) - 4)
/* Shortest time of the last bucket. */
#define SELFMON_TICKS_LAST (UINT64_C(1) << 41)

/* Returns the shortest time of a bucket, in ticks. */
static inline uint64_t selfmon_bucket_low(unsigned int bucket)
{
	if (bucket >= SELFMON_BUCKETS - 1)
		return SELFMON_TICKS_LAST;
	return ((uint64_t)(4 + bucket % 4) << bucket / 4) - 4;
}

struct selfmon_sums {
	uint64_t sum, min, max;
};

/* Rare cases that struct selfmon_stats counts. */
enum selfmon_rare {
	/* Visits that were only counted (SELFMON_EVERY). */
	SELFMON_RARE_SKIPPED,
	SELFMON_RARE_CUT_OFF,	 /* visits that ended without a leave */
	/* Visits during which the lock of the leader's page changed. */
	SELFMON_RARE_DISTURBED,
	/*
	 * Number of times that a visit's end was read again because a lock
	 * changed.
	 */
	SELFMON_RARE_MOVED,
	SELFMON_RARE_SLOW, /* visits with hardware values from read(2) */
	SELFMON_RARE_REPAIRED,	 /* visits with a value that was repaired */
	/*
	 * Visits with an impossible value, which is left out, or with a
	 * negative time, which is recorded as 0.
	 */
	SELFMON_RARE_IMPOSSIBLE,
	SELFMON_RARE_SCALED,	 /* visits with estimates */
	/*
	 * Visits with refused values: their group was off the PMU for too long.
	 */
	SELFMON_RARE_REFUSED,
	SELFMON_RARE_LOST,	 /* visits with values that were lost */
	/*
	 * How often a visit of this node, or a child of such a visit, ended out
	 * of order or was moved to or from another node. A visit may count
	 * several times. If not 0, the self time of this node is unknown.
	 */
	SELFMON_RARE_OVERLAPPED,
	/*
	 * Visits on another stack than the thread's own, or that began while
	 * such a visit was the newest. Their nesting is unknown.
	 */
	SELFMON_RARE_STACK,
	/*
	 * Numbers of suspensions and resumptions of visits of fibers, each
	 * counted in the thread where it happens. Their difference over all
	 * threads is the number of visits that are suspended now.
	 */
	SELFMON_RARE_SUSPENDED,
	SELFMON_RARE_RESUMED,
	/* Duration of suspensions that are over. */
	SELFMON_RARE_SUSPENDED_TICKS,
	SELFMON_RARE_COUNT
};

/*
 * Kinds of visits that cost their parent more than the cheapest visit does. The
 * cheapest visit is of a region block, finds its node in a slot of the parent,
 * and its function has no other visit open. Each kind is counted in the visit's
 * node, and visit/overhead.c measures its cost. A visit may be of several
 * kinds.
 */
enum selfmon_kind {
	/* Visits entered while their function has other visits open. */
	SELFMON_KIND_SAME,
	/*
	 * Sum over the visits of SAME: the number of other open visits of the
	 * function, minus one.
	 */
	SELFMON_KIND_STEP,
	SELFMON_KIND_FOUND, /* visits whose node was found in the hash table */
	SELFMON_KIND_SPAN,  /* visits entered by selfmon_enter() */
	SELFMON_KIND_COUNT
};

/*
 * Counts in the node of a detached span, in place of the kinds above, which do
 * not apply to detached spans. BEGUN and COROUTINE are counted in the node of
 * the thread that begins the span. All other counts and times are recorded in
 * the node of the thread that ends the span.
 */
enum selfmon_async_count {
	SELFMON_ASYNC_BEGUN = SELFMON_KIND_SAME,
	SELFMON_ASYNC_ELSEWHERE =
		SELFMON_KIND_STEP, /* ended on another thread */
	SELFMON_ASYNC_COROUTINE =
		SELFMON_KIND_FOUND, /* begun by regions in coroutines */
	/* Frames, which BEGUN does not include. Counted when they end. */
	SELFMON_ASYNC_FRAME = SELFMON_KIND_SPAN,
};

struct selfmon_work;

/*
 * The statistics have one writer, the owning thread. Readers retry if the
 * sequence changed or is odd, which it is during an update. Each update is one
 * visit, so the sequence also counts the visits.
 *
 * With four counters, a visit uses three cache lines, the first of which
 * includes the end of struct selfmon_node, and one line of the histogram. With
 * time alone it uses only the members before ticks.max, which are in one line,
 * and a line of the histogram. In a live file a visit uses one line more: see
 * tree.c.
 */
struct selfmon_stats {
	uint64_t sequence;   /* 2 * measured visits, + 1 during an update */
	uint64_t migrated;   /* measured visits that ended on another CPU */
	/*
	 * Bucket of the last visit, not yet counted in the histogram. NONE if
	 * that visit was long.
	 */
	uint64_t last;
	/*
	 * Times of at least this take the slow path of leave; see set_unusual()
	 * in store/stats.c. In a thread that records its visits, see
	 * selfmon_limits_set().
	 */
	uint64_t unusual;
	struct selfmon_sums ticks;
	struct selfmon_sums counter[SELFMON_MAX_COUNTERS];
	uint64_t left_out[SELFMON_MAX_COUNTERS]; /* visits without a value */
	uint64_t partial;       /* visits that lack at least one value */
	uint64_t partial_ticks; /* time of the partial visits */
	uint64_t units[SELFMON_MAX_UNITS]; /* sums of measured visits */
	uint64_t scaled_enabled_ns; /* sum over visits with estimates */
	uint64_t scaled_off_ns;     /* part of this time off the PMU */
	/* Time off the PMU: [0] of the first group, [1] of further groups. */
	uint64_t off_ticks[2];
	/*
	 * The following members are not covered by the sequence: each word is
	 * updated separately.
	 */
	struct selfmon_work *work; /* the units counted here, newest first */
	/*
	 * Only in a thread that records its visits, else 0; explained in
	 * store/limits.h. A visit shorter than `recorded` is not compared with
	 * its region's limit. A visit shorter than `part` gets no entry in the
	 * recorder. `lasting`: how long the visit in progress had lasted at the
	 * last review, if limits below the node are based on it.
	 */
	uint64_t recorded, part, lasting;
	uint64_t rare[SELFMON_RARE_COUNT];
	uint64_t kind[SELFMON_KIND_COUNT];
	/* The short buckets, and SELFMON_BUCKET_NONE, which is not read. */
	uint64_t histogram[SELFMON_BUCKETS_SHORT + 1];
	uint32_t long_histogram[SELFMON_BUCKETS_LONG];
};

_Static_assert(sizeof(struct selfmon_stats) ==
		       offsetof(struct selfmon_stats, long_histogram) +
			       SELFMON_BUCKETS_LONG * sizeof(uint32_t),
	       "copies are made of whole words of 64 bits");

/*
 * Returns the number of visits in a bucket, 0 to SELFMON_BUCKETS - 1, without
 * the visit in `last`. Here 120 is the first long bucket. In `last`, 120 is
 * SELFMON_BUCKET_NONE: there is no such visit.
 */
static inline uint64_t selfmon_stats_bucket(const struct selfmon_stats *stats,
					    unsigned int bucket)
{
	if (bucket < SELFMON_BUCKETS_SHORT)
		return selfmon_load_once(&stats->histogram[bucket]);
	return selfmon_load_once(
		&stats->long_histogram[bucket - SELFMON_BUCKETS_SHORT]);
}

static inline uint64_t selfmon_stats_visits(const struct selfmon_stats *stats)
{
	return stats->sequence / 2;
}

/* Number of visits inside another visit, at any depth. */
struct selfmon_inside {
	uint64_t measured, skipped;
};

/*
 * Values of measured visits, and the numbers of visits inside them, whose
 * overhead the values include.
 */
struct selfmon_weighted {
	struct selfmon_inside inside;
	uint64_t ticks;
	uint64_t counter[SELFMON_MAX_COUNTERS]; /* by column */
};

/*
 * Follows a node's statistics if one visit in N is measured (SELFMON_EVERY,
 * store/sample.h). Each word is updated separately.
 *
 * sum is the weighted sum over all measured visits except the last one: each
 * value is multiplied by the number of visits that it stands for. weights is
 * the sum of these numbers. The last measured visit stands for all visits since
 * its group began; their number is known only when a report is made.
 */
struct selfmon_sampled {
	uint64_t weights;
	struct selfmon_weighted sum, last;
	/*
	 * group: number of visits before the group of the last measured visit.
	 * next: number of visits before the next group.
	 */
	uint64_t group, next;
	uint64_t size; /* size of the next group; 0 before the first visit */
};

#endif
