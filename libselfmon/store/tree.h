/* SPDX-License-Identifier: MIT */
/* A thread's call tree. */
#ifndef SELFMON_STORE_TREE_H
#define SELFMON_STORE_TREE_H

#include "store/process.h"

/*
 * Finds or makes the node of a region below a parent. Returns NULL if there is
 * none and none can be made. Takes the process lock to make a node. The caller
 * has set the busy bit, so that a signal handler that interrupts this function
 * does not make a node too.
 */
struct selfmon_node *selfmon_tree_child(struct selfmon_thread *thread,
					struct selfmon_node *parent,
					uint32_t region);
/*
 * Returns the slot of the hash table at which the search begins. Most siblings
 * have consecutive ids; multiplication by the golden ratio distributes them
 * evenly.
 */
static inline size_t selfmon_tree_slot(const struct selfmon_thread *thread,
				       const struct selfmon_node *parent,
				       uint32_t region)
{
	const uint64_t hash =
		parent->hash + region * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(hash >> thread->table_shift);
}
/*
 * Returns the node in the slot at which the search begins, or the root if the
 * slot is free. If the node of this region exists, it is usually in this slot.
 */
static inline struct selfmon_node *
selfmon_tree_probe(const struct selfmon_thread *thread,
		   const struct selfmon_node *parent, uint32_t region)
{
	return thread->table[selfmon_tree_slot(thread, parent, region)];
}
/* Returns the node, or NULL if it does not exist. Takes no lock. */
struct selfmon_node *selfmon_tree_find(const struct selfmon_thread *thread,
				       struct selfmon_node *parent,
				       uint32_t region);
/*
 * Returns the node for a visit that begins, and makes it if needed. If the tree
 * is full and the region has no node below this parent, the node is directly
 * below the root, and the visit is counted as displaced. Returns NULL if there
 * is no node.
 */
struct selfmon_node *selfmon_tree_place(struct selfmon_thread *thread,
					struct selfmon_node *parent,
					uint32_t region);
/*
 * If the tree is full and the region has no node below this parent: returns the
 * region's node directly below the root, and counts the visit as displaced.
 * Returns NULL in other cases, or if there is no such node.
 */
struct selfmon_node *selfmon_tree_elsewhere(struct selfmon_thread *thread,
					    struct selfmon_node *parent,
					    uint32_t region);
/*
 * Counts a visit of a child of `parent` that is recorded in another node. The
 * self time of `parent` is then unknown.
 */
void selfmon_tree_displaced(struct selfmon_thread *thread,
			    struct selfmon_node *parent);
/*
 * Makes the root. The caller holds the process lock. Returns 0, or -1 if out of
 * memory.
 */
int selfmon_tree_init(struct selfmon_process *process,
		      struct selfmon_thread *thread);

#endif
