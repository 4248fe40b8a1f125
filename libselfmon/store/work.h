/* SPDX-License-Identifier: MIT */
/*
 * Amounts of one unit (selfmon_unit()) that the visits of one node counted. The
 * record is made when the node first counts the unit; the node has a list of
 * its records. The sum is in the node's statistics, where the sequence protects
 * it together with the time.
 */
#ifndef SELFMON_STORE_WORK_H
#define SELFMON_STORE_WORK_H

#include "store/config.h"
#include "store/state.h"

/*
 * Written only by the owning thread. Each word is updated separately, so for a
 * reader min, max and histogram may include visits that the sum does not
 * include. The histogram has the same buckets as the histogram of ticks. The
 * sum of its buckets is the number of visits that counted the unit.
 */
struct selfmon_work {
	struct selfmon_record record;
	uint32_t thread, ordinal; /* the node */
	uint32_t unit;		  /* index in selfmon_stats.units */
	uint32_t reserved;
	struct selfmon_work *next; /* of the same node */
	uint64_t open; /* counted so far by the open visit */
	uint64_t min, max;	   /* of one visit */
	char name[SELFMON_UNIT_NAME_SIZE];
	uint64_t histogram[SELFMON_BUCKETS];
};

/*
 * Finds or makes the record of a unit in a node. Takes the process lock. The
 * caller has set the busy bit. Returns NULL if out of memory.
 */
struct selfmon_work *selfmon_work_make(const struct selfmon_thread *thread,
				       struct selfmon_node *node,
				       uint32_t unit);
/*
 * Moves the units that an open visit has counted so far from one node to
 * another. Call it when the visit itself is moved to the node `to`. The caller
 * has set the busy bit.
 */
void selfmon_work_move(struct selfmon_thread *thread, struct selfmon_node *from,
		       struct selfmon_node *to);

static inline struct selfmon_work *
selfmon_work_of(const struct selfmon_node *node, uint32_t unit)
{
	struct selfmon_work *work = node->stats->work;

	while (work && selfmon_unlikely(work->unit != unit))
		work = work->next;
	return work;
}

static inline void selfmon_work_add(struct selfmon_work *work, uint64_t n)
{
	if (selfmon_unlikely(n < work->min))
		selfmon_store_once(&work->min, n);
	if (selfmon_unlikely(n > work->max))
		selfmon_store_once(&work->max, n);
	selfmon_arch_add(&work->histogram[selfmon_bucket_of_any(n)], 1);
}

/* Adds what the open visit counted of one unit to the statistics. */
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
 * Adds the counted units in the same update as the visit, so that a reader sees
 * either both or none. Subtracts the added amount instead of clearing the
 * count: if a handler counts units in between, they stay for a later visit of
 * this node. Call after `unusual` is set: the handler sets `unusual` to
 * 0, and a later store would overwrite the 0.
 */
static inline void selfmon_work_collect(struct selfmon_stats *stats)
{
	struct selfmon_work *work;

	for (work = stats->work; work; work = work->next)
		selfmon_work_take(stats, work);
}

#endif
