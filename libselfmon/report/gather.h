/* SPDX-License-Identifier: MIT */
/* Rows as they were recorded, merged over all threads. */
#ifndef SELFMON_REPORT_GATHER_H
#define SELFMON_REPORT_GATHER_H

#include "region/overhead.h"
#include "report/model.h"

struct selfmon_gathered {
	int32_t parent;   /* a row before this one, -1: top level */
	uint32_t region;
	uint32_t threads;
	uint64_t open, open_before; /* now; as an interval began */
	uint32_t unsure;  /* of an interval: SELFMON_BOUND_* */
	struct selfmon_stats stats; /* in ticks */
	struct selfmon_weighted all; /* where one visit in N is measured */
};

struct selfmon_gather_apart;

struct selfmon_gather {
	struct selfmon_gathered *row;
	size_t rows, room;
	uint32_t *slot;   /* hash of rows by parent and region; row + 1 */
	uint64_t too_deep, unready, displaced, unread;
	uint64_t root_overlapped;
	bool every; /* one visit in N is measured: rows have sampled */
	/* By id - 1, of a file's; NULL: they are the process's own. */
	struct selfmon_region *const *named;
	struct selfmon_gather_apart *apart; /* NULL: not requested */
};

/*
 * The same rows by thread: the top level of thread k has the parent
 * selfmon_gather_top(k). The first is all threads that are not apart.
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
 * apart.c: has a gather without rows gather them by thread as well. 0 or
 * -ENOMEM.
 */
int selfmon_gather_make_apart(struct selfmon_gather *gather);
void selfmon_gather_free_apart(struct selfmon_gather *gather);
/*
 * Returns the k of a state with this number, and adds the threads that had it.
 */
size_t selfmon_gather_thread(struct selfmon_gather_apart *apart,
			     uint32_t number, uint32_t owners, uint32_t tid,
			     const char name[SELFMON_THREAD_NAME]);

static inline size_t selfmon_gather_hash(int32_t parent, uint32_t region)
{
	const uint64_t key = (uint64_t)(uint32_t)parent << 32 | region;

	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* One that wrapped would look like a small one; see beyond.c. */
static inline uint64_t selfmon_gather_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* 0 or -ENOMEM. Under the report lock; threads go on meanwhile. */
int selfmon_gather_threads(struct selfmon_gather *gather,
			   struct selfmon_process *process);
/*
 * One place at a time: adds its statistics to the row of this region below the
 * parent's row (-1: top); sampled is read where gather->every. If stats is NULL
 * there are none. 0 or -ENOMEM. Rows without anything go at the end.
 */
int selfmon_gather_add(struct selfmon_gather *gather, int32_t parent,
		       uint32_t region, const struct selfmon_stats *stats,
		       const struct selfmon_sampled *sampled, int32_t *row);
/*
 * The row of a region below a parent's row (-1: top), made if need be. 0 or
 * -ENOMEM. Not after selfmon_gather_end().
 */
int selfmon_gather_row(struct selfmon_gather *gather, int32_t parent,
		       uint32_t region, uint32_t *index);
/* Returns which visits occurred, as selfmon_calibrate() wants it. */
uint32_t selfmon_gather_occurred(const struct selfmon_gather *gather);
int selfmon_gather_end(struct selfmon_gather *gather);
const struct selfmon_region *
selfmon_gather_region(const struct selfmon_gather *gather, uint32_t id);

/* bucket.c: the shortest visit that a bucket takes, in ticks. */
uint64_t selfmon_gather_low(unsigned int bucket);
/*
 * bucket.c: the middle of a bucket, in ticks; of the last, which has no end,
 * the longest visit.
 */
double selfmon_gather_middle(const struct selfmon_stats *stats,
			     unsigned int bucket);
void selfmon_gather_free(struct selfmon_gather *gather);

/* Whole numbers of a report are below it. */
#define SELFMON_WHOLE_MAX 9.2e18

/*
 * beyond.c: is a row's sum, of time (-1) or a column, more than a report's
 * numbers hold? And what all that are so make untrue is not told either.
 */
struct selfmon_report;
bool selfmon_report_beyond(const struct selfmon_gathered *row, int column,
			   const struct selfmon_clock *clock);
void selfmon_report_tell_beyond(struct selfmon_report *report,
				const struct selfmon_gather *gather,
				const struct selfmon_clock *clock);

#endif
