/* SPDX-License-Identifier: MIT */
/*
 * The counts of one unit in the visits of one node. They are made when the node
 * first counts the unit, and the node has a list of them. The sum is in the
 * node's statistics, where the sequence covers it together with the time.
 */
#ifndef SELFMON_STORE_WORK_H
#define SELFMON_STORE_WORK_H

#include "store/config.h"
#include "store/state.h"

/*
 * One writer, the owning thread. Each word is updated separately, so a reader
 * may find the minimum, the maximum and the histogram some visits ahead of the
 * sum. The histogram has the buckets of ticks, and also serves to count the
 * visits.
 */
struct selfmon_work {
	struct selfmon_record record;
	uint32_t thread, ordinal; /* the node */
	uint32_t unit;		  /* index of the sum */
	uint32_t reserved;
	struct selfmon_work *next; /* of the same node */
	uint64_t open; /* counted so far by the visit that is open here */
	uint64_t min, max;	   /* of one visit */
	char name[SELFMON_UNIT_NAME_SIZE];
	uint64_t histogram[SELFMON_BUCKETS];
};

/*
 * Returns the record of a unit in a node; makes it if needed. Takes the process
 * lock; the caller has set the busy bit. Returns NULL without memory.
 */
struct selfmon_work *selfmon_work_make(const struct selfmon_thread *thread,
				       struct selfmon_node *node,
				       uint32_t unit);
/*
 * Moves the units of an open visit that continues in another node. The busy bit
 * is set.
 */
void selfmon_work_move(struct selfmon_thread *thread, struct selfmon_node *from,
		       struct selfmon_node *to);

/* Returns the record of a unit in a node, or NULL. */
static inline struct selfmon_work *
selfmon_work_of(const struct selfmon_node *node, uint32_t unit)
{
	struct selfmon_work *work = node->stats->work;

	while (work && selfmon_unlikely(work->unit != unit))
		work = work->next;
	return work;
}

static inline unsigned int selfmon_work_bucket(uint64_t n)
{
	return selfmon_likely(n < SELFMON_TICKS_LONG) ? selfmon_bucket_of(n)
						      : SELFMON_BUCKETS - 1;
}

static inline void selfmon_work_add(struct selfmon_work *work, uint64_t n)
{
	if (selfmon_unlikely(n < work->min))
		selfmon_store_once(&work->min, n);
	if (selfmon_unlikely(n > work->max))
		selfmon_store_once(&work->max, n);
	selfmon_arch_add(&work->histogram[selfmon_work_bucket(n)], 1);
}

/*
 * Sets `unusual` so that visits up to the longest one take the fast path again.
 * Where visits are recorded no visit is usual: visit/leave_recorded.c.
 */
static inline void selfmon_stats_expect(struct selfmon_stats *stats)
{
	const uint64_t most = stats->ticks.max;

	if (selfmon_config()->record || selfmon_config()->traced ||
	    selfmon_config()->longer)
		selfmon_store_once(&stats->unusual, 0);
	else
		selfmon_store_once(&stats->unusual, most < SELFMON_TICKS_LONG
							    ? most + 1
							    : SELFMON_TICKS_LONG);
}

/* Adds what the visit counted of one unit to the statistics. */
static inline void selfmon_work_take(struct selfmon_stats *stats,
				     struct selfmon_work *work)
{
	const uint64_t n = selfmon_load_once(&work->open);

	if (selfmon_unlikely(!n))
		return;
	selfmon_arch_sub(&work->open, n);
	selfmon_arch_add(&stats->units[work->unit], n);
	selfmon_work_add(work, n);
}

/*
 * Adds the counted units together with the visit, so that a reader never sees
 * one without the other. Subtracts what was added instead of clearing the
 * count: units that a handler counts in between are left for a later visit of
 * this node. Call after selfmon_stats_expect(), whose store would otherwise
 * hide these units.
 */
static inline void selfmon_work_collect(struct selfmon_stats *stats)
{
	struct selfmon_work *work;

	for (work = stats->work; work; work = work->next)
		selfmon_work_take(stats, work);
}

#endif
