/* SPDX-License-Identifier: MIT */
/* A thread's call tree. */
#ifndef SELFMON_STORE_TREE_H
#define SELFMON_STORE_TREE_H

#include "store/process.h"

/* Returns the node of a region below a parent, or NULL. Makes it if needed. */
struct selfmon_node *selfmon_tree_child(struct selfmon_thread *thread,
					struct selfmon_node *parent,
					uint32_t region);
/*
 * Returns the slot at which a search for a region below a parent begins.
 * Siblings mostly have consecutive ids; multiplying by the golden ratio spreads
 * these evenly.
 */
static inline size_t selfmon_tree_slot(const struct selfmon_thread *thread,
				       const struct selfmon_node *parent,
				       uint32_t region)
{
	const uint64_t hash =
		parent->hash + region * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(hash >> thread->table_shift);
}
/* Returns the node in that slot: usually the one searched for, if it exists. */
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
 * Returns the node for a visit that begins, or NULL. Makes it if needed. The
 * node is below this parent, or below the root if the tree is full.
 */
struct selfmon_node *selfmon_tree_place(struct selfmon_thread *thread,
					struct selfmon_node *parent,
					uint32_t region);
/*
 * If the tree is full, returns the node below the root if it exists. Otherwise
 * returns NULL.
 */
struct selfmon_node *selfmon_tree_elsewhere(struct selfmon_thread *thread,
					    struct selfmon_node *parent,
					    uint32_t region);
/* Notes that a visit of a child of this node is recorded in another node. */
void selfmon_tree_displaced(struct selfmon_thread *thread,
			    struct selfmon_node *parent);
/* The caller holds the process lock. Returns 0, or -1 without memory. */
int selfmon_tree_init(struct selfmon_process *process,
		      struct selfmon_thread *thread);

#endif
