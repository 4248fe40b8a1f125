/* SPDX-License-Identifier: MIT */
/* A thread's call tree. */
#ifndef SELFMON_STORE_TREE_H
#define SELFMON_STORE_TREE_H

#include "store/process.h"

/* Returns the node of a region below a parent, made if need be, or NULL. */
struct selfmon_node *selfmon_tree_child(struct selfmon_thread *thread,
					struct selfmon_node *parent,
					uint32_t region);
/*
 * Returns where a search for a region below a parent begins. By the golden
 * ratio regions with consecutive ids, as siblings mostly are, lie evenly apart.
 */
static inline size_t selfmon_tree_slot(const struct selfmon_thread *thread,
				       const struct selfmon_node *parent,
				       uint32_t region)
{
	const uint64_t hash =
		parent->hash + region * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(hash >> thread->table_shift);
}
/* Returns what is there: mostly the node, if it exists. */
static inline struct selfmon_node *
selfmon_tree_probe(const struct selfmon_thread *thread,
		   const struct selfmon_node *parent, uint32_t region)
{
	return thread->table[selfmon_tree_slot(thread, parent, region)];
}
/* Returns the node if it exists, or NULL; takes no lock. */
struct selfmon_node *selfmon_tree_find(const struct selfmon_thread *thread,
				       struct selfmon_node *parent,
				       uint32_t region);
/*
 * Returns the node of a visit about to begin, made if need be, or NULL. It is
 * below this parent, or below the root if the tree is full.
 */
struct selfmon_node *selfmon_tree_place(struct selfmon_thread *thread,
					struct selfmon_node *parent,
					uint32_t region);
/*
 * Returns the node below the root if the tree is full and that node exists,
 * else NULL.
 */
struct selfmon_node *selfmon_tree_elsewhere(struct selfmon_thread *thread,
					    struct selfmon_node *parent,
					    uint32_t region);
/* Notes that a visit of a child of this node is recorded elsewhere. */
void selfmon_tree_displaced(struct selfmon_thread *thread,
			    struct selfmon_node *parent);
/* Under the process lock. Returns 0, or -1: no memory. */
int selfmon_tree_init(struct selfmon_process *process,
		      struct selfmon_thread *thread);

#endif
