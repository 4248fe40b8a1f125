/* SPDX-License-Identifier: MIT */
/* Recorded rows, merged over all threads. */
#ifndef SELFMON_REPORT_GATHER_H
#define SELFMON_REPORT_GATHER_H

#include "visit/overhead.h"
#include "report/model.h"
#include "store/ring_state.h"
#include "store/slowest.h"

struct selfmon_gathered {
	int32_t parent;   /* index of an earlier row, or -1 at the top level */
	uint32_t region;
	uint32_t threads;
	/* Number of open visits now, and when the interval began. */
	uint64_t open, open_before;
	uint32_t unsure;  /* SELFMON_BOUND_* flags of an interval */
	struct selfmon_stats stats; /* in ticks */
	struct selfmon_weighted all; /* used if one visit in N is measured */
	struct selfmon_ring_sums ring;
	uint32_t origin; /* the row's index when it was made */
	/* For each unit: index in selfmon_gather.unit + 1; 0: not counted. */
	uint32_t unit[SELFMON_MAX_UNITS];
};

/* A row's amounts of one unit, per visit. */
struct selfmon_gathered_unit {
	uint64_t min, max;
	uint64_t histogram[SELFMON_BUCKETS];
};

/*
 * A call stack of one thread. The thread may still change the count and the
 * data addresses of the entry, but not its key and its stack.
 */
struct selfmon_gathered_stack {
	/* selfmon_gathered.origin of the row; negative: no row */
	int32_t row;
	uint64_t count;
	const struct selfmon_stack_entry *entry;
};

/*
 * A stored slow visit, which may no longer be among the slowest of its region:
 * slots are freed only when another visit is stored.
 */
struct selfmon_gathered_slow {
	uint32_t region;
	struct selfmon_slow_visit visit;
};

struct selfmon_gather_apart;

struct selfmon_gather {
	struct selfmon_gathered *row;
	size_t rows, room;
	/* Hash table of rows by parent and region: index + 1. */
	uint32_t *slot;
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
	/* Serial number of the newest recorded slow visit. */
	uint64_t slow_serial;
	/*
	 * Slow visits of the interval before this report have larger serial
	 * numbers.
	 */
	uint64_t slow_begin;
	bool every; /* one visit in N is measured; rows use `all` */
	/*
	 * The regions of a live file, by id - 1; NULL for the process's own
	 * regions.
	 */
	struct selfmon_region *const *named;
	struct selfmon_gather_apart *apart; /* NULL if not requested */
	struct selfmon_gather *async;	    /* detached spans, or NULL */
};

/*
 * selfmon_gather_place.row of the node above all detached spans, which has no
 * row.
 */
#define SELFMON_GATHER_ASYNC INT32_MIN

/*
 * Rows by thread: the visits of `gather` again, but with rows of their own for
 * each thread k. The rows at the top level of thread k have the parent
 * selfmon_gather_top(k). k is 0 for all threads that have no rows of their own.
 */
struct selfmon_gather_apart {
	struct selfmon_gather gather;
	struct selfmon_gathered_thread thread[1 + SELFMON_THREADS_APART];
};

static inline int32_t selfmon_gather_top(size_t k)
{
	return -2 - (int32_t)k;
}

/* Makes an empty gather collect rows by thread, too. Returns 0 or -ENOMEM. */
int selfmon_gather_make_apart(struct selfmon_gather *gather);
void selfmon_gather_free_apart(struct selfmon_gather *gather);
/*
 * Returns the index k for the thread state with this number: 0 if it had
 * several owners or if the number is too high. Adds the owners to the number of
 * threads of k; if the owners are unknown (0), adds 1. If k is not 0, stores the
 * tid and the name.
 */
size_t selfmon_gather_thread(struct selfmon_gather_apart *apart,
			     uint32_t number, uint32_t owners, uint32_t tid,
			     const char name[SELFMON_THREAD_NAME]);

static inline size_t selfmon_gather_hash(int32_t parent, uint32_t region)
{
	const uint64_t key = (uint64_t)(uint32_t)parent << 32 | region;

	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The sum saturates: a sum that wrapped would look like a small one. */
static inline uint64_t selfmon_gather_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/*
 * Adds the statistics of one node to the row of its region below the row
 * `parent` (-1: top level). If stats is NULL, only makes the row. sampled may
 * be NULL, and is read only if gather->every is set. selfmon_gather_end() drops
 * empty rows. Returns 0 or -ENOMEM.
 */
int selfmon_gather_add(struct selfmon_gather *gather, int32_t parent,
		       uint32_t region, const struct selfmon_stats *stats,
		       const struct selfmon_sampled *sampled, int32_t *row);
/* Adds the statistics of one node of spans. Returns 0 or -ENOMEM. */
int selfmon_gather_span(struct selfmon_gather *gather, uint32_t region,
			const struct selfmon_stats *stats);
/*
 * Finds or makes the row of a region below the row `parent` (-1: top level). Do
 * not call after selfmon_gather_end(). Returns 0 or -ENOMEM.
 */
int selfmon_gather_row(struct selfmon_gather *gather, int32_t parent,
		       uint32_t region, uint32_t *index);
/*
 * Returns a mask of the kinds of visits that occurred, for selfmon_calibrate().
 */
uint32_t selfmon_gather_occurred(const struct selfmon_gather *gather);
/*
 * Returns true if the row has visits that ended or were cut off, or samples.
 * Open visits do not count. A row may have only samples: its visit may have
 * moved to another node after the samples were taken.
 */
bool selfmon_gather_is_recorded(const struct selfmon_gathered *row);
/*
 * Drops each row without recorded data and open visits, unless a row below it
 * has either. Returns 0 or -ENOMEM.
 */
int selfmon_gather_drop_empty(struct selfmon_gather *gather);
/*
 * Adds suspended visits and open spans to the open visits of their rows, and
 * drops empty rows. Call once, after all nodes are added. Returns 0 or -ENOMEM.
 */
int selfmon_gather_end(struct selfmon_gather *gather);
const struct selfmon_region *
selfmon_gather_region(const struct selfmon_gather *gather, uint32_t id);

void selfmon_gather_free(struct selfmon_gather *gather);

/* A double below this limit can be converted to int64_t. */
#define SELFMON_WHOLE_MAX 9.2e18

#endif
