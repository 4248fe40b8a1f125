/* SPDX-License-Identifier: MIT */
/*
 * Adds the records of one thread to the rows of a report: first the thread's
 * own record, then its nodes with parents before children, then its open
 * visits. The records come from memory (gather_threads.c) or from a live file
 * (live_rows.c).
 */
#ifndef SELFMON_REPORT_GATHER_TREE_H
#define SELFMON_REPORT_GATHER_TREE_H

#include "report/gather.h"
#include "store/state.h"

struct selfmon_gather_place {
	uint64_t self; /* address of the node */
	/*
	 * Index in gather->row. Negative for the root, for detached spans, and
	 * for the node that is the parent of all detached spans.
	 */
	int32_t row;
	/*
	 * Index of the row in gather->apart; for the root,
	 * selfmon_gather_tree.top.
	 */
	int32_t apart;
	uint32_t depth;
	bool updating; /* the row includes a visit whose update is unfinished */
};

struct selfmon_gather_tree {
	/* Index: the node's ordinal, until sorted by address. */
	struct selfmon_gather_place *place;
	size_t places, room;
	/* selfmon_gather_top() of the thread; -1 without rows by thread. */
	int32_t top;
	bool sorted; /* by address */
};

/*
 * Begins a thread's tree. *tree may be empty, or contain the previous thread's
 * tree.
 */
void selfmon_gather_begin(struct selfmon_gather *gather,
			  struct selfmon_gather_tree *tree,
			  const struct selfmon_thread_record *thread);
/*
 * Adds a node. stats is a copy that this function may change, or NULL if it
 * could not be made. whole is true if no update was in progress during the
 * copy. sampled may be NULL, and is read only if gather->every is set. Returns
 * 0 or -ENOMEM.
 */
int selfmon_gather_node(struct selfmon_gather *gather,
			struct selfmon_gather_tree *tree,
			const struct selfmon_node *node,
			struct selfmon_stats *stats, bool whole,
			const struct selfmon_sampled *sampled);
/*
 * Adds how long and how often the visits of a node were off the CPU, and their
 * samples. `ordinal` identifies the node.
 */
void selfmon_gather_ring(struct selfmon_gather *gather,
			    const struct selfmon_gather_tree *tree,
			    size_t ordinal, const struct selfmon_ring_sums *time);
/*
 * Counts an open visit of the thread. Call after all nodes were added, for the
 * newest visit first.
 */
void selfmon_gather_visit(struct selfmon_gather *gather,
			  struct selfmon_gather_tree *tree,
			  const struct selfmon_visit *visit);

#endif
