/* SPDX-License-Identifier: MIT */
/* Recorded rows, merged over all threads. */
#ifndef SELFMON_REPORT_GATHER_H
#define SELFMON_REPORT_GATHER_H

#include "visit/overhead.h"
#include "report/model.h"
#include "store/ring_state.h"
#include "store/slowest.h"

struct selfmon_gathered {
	int32_t parent;   /* an earlier row; -1: top level */
	uint32_t region;
	uint32_t threads;
	uint64_t open, open_before; /* now; when an interval began */
	uint32_t unsure;  /* of an interval: SELFMON_BOUND_* */
	struct selfmon_stats stats; /* in ticks */
	struct selfmon_weighted all; /* if one visit in N is measured */
	struct selfmon_ring_sums ring;
	uint32_t origin; /* its index as it was made */
	uint32_t unit[SELFMON_MAX_UNITS]; /* index of its units + 1; 0: none */
};

/* One unit's counts in the visits of a row. */
struct selfmon_gathered_unit {
	uint64_t min, max;
	uint64_t histogram[SELFMON_BUCKETS];
};

/* A stack of one thread; the entry does not change, but for its count. */
struct selfmon_gathered_stack {
	int32_t row; /* by origin; below 0: none */
	uint64_t count;
	const struct selfmon_stack_entry *entry;
};

/* One of the slowest visits of a region. */
struct selfmon_gathered_slow {
	uint32_t region;
	struct selfmon_slow_visit visit;
};

struct selfmon_gather_apart;

struct selfmon_gather {
	struct selfmon_gathered *row;
	size_t rows, room;
	uint32_t *slot;   /* hash of rows by parent and region; row + 1 */
	struct selfmon_gathered_unit *unit; /* of all rows */
	size_t units, units_room;
	size_t unit_names;
	char unit_name[SELFMON_MAX_UNITS][SELFMON_UNIT_NAME_SIZE];
	uint64_t too_deep, unready, displaced, evicted, uncounted, unread;
	struct selfmon_gathered_stack *stack;
	size_t stacks, stacks_room;
	uint64_t samples_outside, samples_lost, samples_lost_more,
		samples_unstored;
	struct selfmon_gathered_slow *slow;
	size_t slows, slows_room;
	bool every; /* one visit in N is measured: rows have samples */
	/* A file's regions by id - 1; NULL: the process's own regions. */
	struct selfmon_region *const *named;
	struct selfmon_gather_apart *apart; /* NULL: not requested */
	struct selfmon_gather *async;	    /* detached spans; NULL: none */
};

/* In place of a row: that of the place above all spans, which has none. */
#define SELFMON_GATHER_ASYNC INT32_MIN

/*
 * The same rows by thread: top-level rows of thread k have the parent
 * selfmon_gather_top(k). Thread 0 stands for all threads without rows of their
 * own.
 */
struct selfmon_gather_apart {
	struct selfmon_gather gather;
	struct selfmon_gathered_thread thread[1 + SELFMON_THREADS_APART];
};

static inline int32_t selfmon_gather_top(size_t k)
{
	return -2 - (int32_t)k;
}

/*
 * Makes an empty gather collect its rows by thread as well. Returns 0
 * or -ENOMEM.
 */
int selfmon_gather_make_apart(struct selfmon_gather *gather);
void selfmon_gather_free_apart(struct selfmon_gather *gather);
/*
 * Returns the k of the state with this number, and adds its owners to the
 * threads of k.
 */
size_t selfmon_gather_thread(struct selfmon_gather_apart *apart,
			     uint32_t number, uint32_t owners, uint32_t tid,
			     const char name[SELFMON_THREAD_NAME]);

static inline size_t selfmon_gather_hash(int32_t parent, uint32_t region)
{
	const uint64_t key = (uint64_t)(uint32_t)parent << 32 | region;

	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Saturates: a sum that wrapped would look like a small one. */
static inline uint64_t selfmon_gather_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/*
 * Adds the statistics of one place to the row of its region below the parent's
 * row (-1: top). NULL stats add the row only; sampled is NULL, or read if
 * gather->every is set. Empty rows are dropped by selfmon_gather_end(). Returns
 * 0 or -ENOMEM.
 */
int selfmon_gather_add(struct selfmon_gather *gather, int32_t parent,
		       uint32_t region, const struct selfmon_stats *stats,
		       const struct selfmon_sampled *sampled, int32_t *row);
/* Adds the statistics of one span's place. Returns 0 or -ENOMEM. */
int selfmon_gather_span(struct selfmon_gather *gather, uint32_t region,
			const struct selfmon_stats *stats);
/*
 * Finds or makes the row of a region below a parent's row (-1: top). Do not
 * call after selfmon_gather_end(). Returns 0 or -ENOMEM.
 */
int selfmon_gather_row(struct selfmon_gather *gather, int32_t parent,
		       uint32_t region, uint32_t *index);
/* Returns a mask of the kinds of visits, for selfmon_calibrate(). */
uint32_t selfmon_gather_occurred(const struct selfmon_gather *gather);
int selfmon_gather_end(struct selfmon_gather *gather);
const struct selfmon_region *
selfmon_gather_region(const struct selfmon_gather *gather, uint32_t id);

void selfmon_gather_free(struct selfmon_gather *gather);

/* Integers in a report are below this limit. */
#define SELFMON_WHOLE_MAX 9.2e18

#endif
