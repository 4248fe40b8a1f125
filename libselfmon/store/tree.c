/* SPDX-License-Identifier: MIT */
/*
 * A thread's call tree: nodes by parent and region. In each parent there is a
 * slot for each of sixteen residues of a region's id, with the last child that
 * was found. Enter checks that slot first, then a hash table over the whole
 * tree.
 */
#include "store/tree.h"

#include <stddef.h>

#include "store/config.h"
#include "store/live.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/process.h"
#include "store/self.h"
#include "store/state.h"
#include "store/statistics.h"
#include "store/stats.h"
#include "store/watch.h"

#define TABLE_LOG2_MIN 8
/*
 * The table is at most a quarter full, so that five of six first probes hit. It
 * then takes 32 bytes for each node of 2,048. Old tables are not freed.
 */
#define TABLE_LOAD 4

/*
 * Free slots point to the root: it is never a child, and its id is no region's.
 */
static void forget_children(struct selfmon_node *node,
			    struct selfmon_node *root)
{
	size_t i;

	for (i = 0; i < SELFMON_CHILDREN; i++)
		node->child[i] = root;
}

/* Free slots of the table point to the root, too. */
static struct selfmon_node **table_make(struct selfmon_thread *thread,
					unsigned int log2)
{
	const size_t slots = (size_t)1 << log2;
	struct selfmon_node **table =
		selfmon_memory_wiped(slots * sizeof(struct selfmon_node *));
	size_t i;

	for (i = 0; table && i < slots; i++)
		table[i] = thread->root;
	return table;
}

static size_t tree_slots(const struct selfmon_thread *thread)
{
	return (size_t)1 << (64 - thread->table_shift);
}

static void tree_insert(struct selfmon_thread *thread,
			struct selfmon_node *node)
{
	const size_t mask = tree_slots(thread) - 1;
	size_t i = selfmon_tree_slot(thread, node->parent, node->region);

	while (thread->table[i] != thread->root)
		i = (i + 1) & mask;
	thread->table[i] = node;
}

/* If there is no memory for a larger table, the fuller one stays in use. */
static void tree_grow(struct selfmon_thread *thread)
{
	const unsigned int log2 = 65 - thread->table_shift;
	struct selfmon_node **table = table_make(thread, log2);
	struct selfmon_node *node;

	if (!table)
		return;
	thread->table = table;
	thread->table_shift = 64 - log2;
	for (node = thread->root->next; node; node = node->next)
		tree_insert(thread, node);
}

/*
 * The members of a node that a visit with time alone uses share one cache line.
 * In memory, nodes are placed accordingly. In a live file records begin at a
 * line, and `region` and `countdown` are at the end of the line in front of the
 * statistics.
 */
#define HOT offsetof(struct selfmon_node, region)
#define HOT_END                                                                \
	(offsetof(struct selfmon_node, stats) +                                \
	 offsetof(struct selfmon_stats, ticks.max))
#define HOT_OFFSET (-HOT % SELFMON_LINE)

_Static_assert(offsetof(struct selfmon_node, countdown) > HOT &&
		       HOT_END - HOT <= SELFMON_LINE,
	       "a node's hot part and its statistics' are one line");
_Static_assert(HOT_END - offsetof(struct selfmon_node, stats) ==
		       6 * sizeof(uint64_t),
	       "six words of the statistics are looked at by each visit");

/* Returns numbers without a common pattern: the n-th output of splitmix64. */
static uint64_t hash_seed(uint64_t n)
{
	n *= UINT64_C(0x9e3779b97f4a7c15);
	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

/* Returns room for a node: in the live file, or in memory. */
static struct selfmon_node *take_room(const struct selfmon_process *process,
				      const struct selfmon_thread *thread)
{
	const size_t size =
		sizeof(struct selfmon_node) +
		(selfmon_config()->every > 1 ? sizeof(struct selfmon_sampled)
					     : 0);
	struct selfmon_node *node = NULL;

	if (thread->live)
		node = selfmon_live_take(process, SELFMON_RECORD_NODE, size);
	return node ? node : selfmon_memory_wiped_at(HOT_OFFSET, size);
}

/* Makes a node that readers do not see yet. */
static struct selfmon_node *begin_node(struct selfmon_process *process,
				       const struct selfmon_thread *thread,
				       struct selfmon_node *parent,
				       uint32_t region)
{
	/*
	 * Must come first: a record in the file must be complete before the
	 * next one.
	 */
	const uint64_t *const slow_limit =
		selfmon_watch_limit(process, thread, region);
	struct selfmon_node *const node = take_room(process, thread);

	if (!node)
		return NULL;
	node->self = (uint64_t)(uintptr_t)node;
	node->thread = thread->record->number;
	node->ordinal = thread->nodes;
	node->parent_ordinal = parent ? parent->ordinal : 0;
	node->parent = parent;
	node->region = region;
	node->hash = hash_seed(thread->nodes + 1);
	forget_children(node, parent ? thread->root : node);
	selfmon_stats_init(node->stats);
	node->stats->slow_limit = slow_limit;
	if (node->record.type)
		selfmon_live_publish(process, &node->record);
	return node;
}

/* Pairs with the readers' walk: a node is complete before they see it. */
static void append_node(struct selfmon_thread *thread,
			struct selfmon_node *node)
{
	__atomic_store_n(&thread->newest->next, node, __ATOMIC_RELEASE);
	thread->newest = node;
	thread->nodes++;
}

int selfmon_tree_init(struct selfmon_process *process,
		      struct selfmon_thread *thread)
{
	thread->root = begin_node(process, thread, NULL, SELFMON_REGION_NONE);
	if (!thread->root)
		return -1;
	thread->table_shift = 64 - TABLE_LOG2_MIN;
	thread->table = table_make(thread, TABLE_LOG2_MIN);
	if (!thread->table)
		return -1;
	thread->newest = thread->root;
	thread->nodes = 1;
	return 0;
}

struct selfmon_node *selfmon_tree_find(const struct selfmon_thread *thread,
				       struct selfmon_node *parent,
				       uint32_t region)
{
	const size_t mask = tree_slots(thread) - 1;
	size_t i = selfmon_tree_slot(thread, parent, region);
	struct selfmon_node *node;

	for (; (node = thread->table[i]) != thread->root; i = (i + 1) & mask) {
		if (node->parent == parent && node->region == region) {
			parent->child[region % SELFMON_CHILDREN] = node;
			return node;
		}
	}
	return NULL;
}

/*
 * Returns true if the thread may have no further nodes below this parent. Below
 * the root and for spans there is no limit, since the number of regions limits
 * these nodes.
 */
static bool tree_is_full(const struct selfmon_thread *thread,
			 const struct selfmon_node *parent)
{
	return thread->nodes >= SELFMON_PLACES_MAX && parent != thread->root &&
	       parent->region != SELFMON_REGION_ASYNC;
}

/* The table must keep a free slot: without one a search would never end. */
static bool has_room(struct selfmon_thread *thread)
{
	if ((size_t)thread->nodes * TABLE_LOAD >= tree_slots(thread))
		tree_grow(thread);
	return thread->nodes + 1 < tree_slots(thread);
}

static struct selfmon_node *make_node(struct selfmon_process *process,
				      struct selfmon_thread *thread,
				      struct selfmon_node *parent,
				      uint32_t region)
{
	struct selfmon_node *node;

	if (!has_room(thread))
		return NULL;
	node = begin_node(process, thread, parent, region);
	if (!node)
		return NULL;
	tree_insert(thread, node);
	parent->child[region % SELFMON_CHILDREN] = node;
	append_node(thread, node);
	return node;
}

/*
 * Takes the process lock to make a node. The caller has set the busy bit, so
 * that a handler that interrupts this function does not make a node too.
 */
struct selfmon_node *selfmon_tree_child(struct selfmon_thread *thread,
					struct selfmon_node *parent,
					uint32_t region)
{
	struct selfmon_process *process;
	struct selfmon_node *node = selfmon_tree_find(thread, parent,
						     region);

	if (node || tree_is_full(thread, parent))
		return node;
	process = selfmon_process();
	selfmon_process_lock(process);
	node = make_node(process, thread, parent, region);
	selfmon_process_unlock(process);
	return node;
}

/* The parent's self time is now unknown. */
void selfmon_tree_displaced(struct selfmon_thread *thread,
			    struct selfmon_node *parent)
{
	selfmon_rare_add(parent->stats, SELFMON_RARE_OVERLAPPED, 1);
	selfmon_arch_add(&thread->record->displaced, 1);
}

/* Takes no lock: in a thread with a full tree each visit may come here. */
struct selfmon_node *selfmon_tree_elsewhere(struct selfmon_thread *thread,
					    struct selfmon_node *parent,
					    uint32_t region)
{
	struct selfmon_node *node;

	if (!tree_is_full(thread, parent) ||
	    selfmon_tree_find(thread, parent, region))
		return NULL;
	node = selfmon_tree_find(thread, thread->root, region);
	if (node)
		selfmon_tree_displaced(thread, parent);
	return node;
}

struct selfmon_node *selfmon_tree_place(struct selfmon_thread *thread,
					struct selfmon_node *parent,
					uint32_t region)
{
	struct selfmon_node *node = selfmon_tree_child(thread, parent, region);

	if (node || !tree_is_full(thread, parent))
		return node;
	node = selfmon_tree_child(thread, thread->root, region);
	if (node)
		selfmon_tree_displaced(thread, parent);
	return node;
}
