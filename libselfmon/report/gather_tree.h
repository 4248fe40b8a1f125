/* SPDX-License-Identifier: MIT */
/*
 * Adds the records of one thread to the rows of a report, whether they come
 * from memory (gather_threads.c) or from a live file (live_rows.c): first the
 * thread's, then its nodes, parents before children, then its open visits.
 */
#ifndef SELFMON_REPORT_GATHER_TREE_H
#define SELFMON_REPORT_GATHER_TREE_H

#include "report/gather.h"
#include "store/state.h"

struct selfmon_gather_place {
	uint64_t self; /* address of the node */
	int32_t row;   /* below 0: the root, spans */
	int32_t apart; /* row among the rows by thread */
	uint32_t depth;
	bool updating; /* the row includes a visit that is still open */
};

struct selfmon_gather_tree {
	struct selfmon_gather_place *place; /* by ordinal; then by address */
	size_t places, room;
	int32_t top; /* its root in the rows by thread */
	bool sorted; /* by address */
};

/* Begins a tree that is empty, or whose places may be reused. */
void selfmon_gather_begin(struct selfmon_gather *gather,
			  struct selfmon_gather_tree *tree,
			  const struct selfmon_thread_record *thread);
/*
 * Adds a node. stats is a copy, which is changed; NULL: it could not be made.
 * whole: the copy was made between two updates. sampled is NULL, or read if
 * gather->every is set. Returns 0 or -ENOMEM.
 */
int selfmon_gather_node(struct selfmon_gather *gather,
			struct selfmon_gather_tree *tree,
			const struct selfmon_node *node,
			struct selfmon_stats *stats, bool whole,
			const struct selfmon_sampled *sampled);
/* Adds how long visits of a node, by its ordinal, were off the CPU. */
void selfmon_gather_ring(struct selfmon_gather *gather,
			    const struct selfmon_gather_tree *tree,
			    size_t ordinal, const struct selfmon_ring_sums *time);
/* Adds an open visit; newest first, after all nodes. */
void selfmon_gather_visit(struct selfmon_gather *gather,
			  struct selfmon_gather_tree *tree,
			  const struct selfmon_visit *visit);

#endif
