/* SPDX-License-Identifier: MIT */
/*
 * A thread's call tree: nodes by parent and region. Each parent has sixteen
 * slots for children: slot i caches the last child found whose region has id %
 * 16 = i. Enter checks the slot first, then a hash table of the whole tree.
 */
#include "store/tree.h"

#include <stddef.h>

#include "store/config.h"
#include "store/limits.h"
#include "store/live.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/process.h"
#include "store/recorder.h"
#include "store/self.h"
#include "store/state.h"
#include "store/statistics.h"
#include "store/stats.h"
#include "store/watch.h"

#define TABLE_LOG2_MIN 8
/*
 * The table is at most a quarter full, so that about seven of eight first
 * probes find the node. Old tables are not freed.
 */
#define TABLE_LOAD 4

/*
 * Maximum memory of a node without SELFMON_EVERY, including its share of the
 * tables. A table that was just doubled has twice the slots that are needed,
 * and all older tables together are as large.
 */
#define NODE_BYTES_MAX 2048
_Static_assert(SELFMON_LIVE_ROUND(sizeof(struct selfmon_node)) +
			       2 * 2 * TABLE_LOAD *
				       sizeof(struct selfmon_node *) <=
		       NODE_BYTES_MAX,
	       "a place's memory, in README.md and docs/COST.md");

/*
 * Makes all slots free. A free slot points to the root, which is never a child,
 * and whose region id no region has.
 */
static void forget_children(struct selfmon_node *node,
			    struct selfmon_node *root)
{
	size_t i;

	for (i = 0; i < SELFMON_CHILDREN; i++)
		node->child[i] = root;
}

/* Allocates a table. Free slots of the table point to the root, too. */
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

/*
 * Doubles the table. If there is no memory, the old table stays in use and gets
 * fuller.
 */
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
 * Of its own node, a visit that measures time alone uses the members from
 * `region` (HOT) to ticks.min of the statistics (before HOT_END), and a bucket of
 * the histogram. In memory, nodes are placed so
 * that these members are in one cache line. In a live file each record begins
 * at a cache line. There `region` and `countdown` are at the end of the line
 * before the statistics.
 */
#define HOT offsetof(struct selfmon_node, region)
#define HOT_END                                                                \
	(offsetof(struct selfmon_node, stats) +                                \
	 offsetof(struct selfmon_stats, ticks.max))
#define HOT_OFFSET (-HOT % SELFMON_LINE)

_Static_assert(offsetof(struct selfmon_node, countdown) > HOT &&
		       HOT_END - HOT <= SELFMON_LINE,
	       "the hot parts of a node and its statistics are one cache line");
_Static_assert(HOT_END - offsetof(struct selfmon_node, stats) ==
		       6 * sizeof(uint64_t),
	       "each visit uses six words of the statistics");

/*
 * Returns well-distributed numbers for n = 1, 2, 3 ...: outputs of splitmix64.
 */
static uint64_t hash_seed(uint64_t n)
{
	n *= UINT64_C(0x9e3779b97f4a7c15);
	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

/* Returns zeroed memory for a node: in the live file if there is one. */
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
	struct selfmon_node *node;

	/*
	 * Do this first: it may add a record to the file, and each record must
	 * be complete before the next one is begun.
	 */
	selfmon_watch_begin(process, thread, region);
	node = take_room(process, thread);
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
	if (node->record.type)
		selfmon_live_publish(process, &node->record);
	return node;
}

/*
 * Adds the node to the list that readers walk. Release: they see a complete
 * node.
 */
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
 * Returns true if the thread must not make further nodes below this parent.
 * There is no limit directly below the root and for detached spans, because
 * these nodes are limited by the number of regions.
 */
static bool tree_is_full(const struct selfmon_thread *thread,
			 const struct selfmon_node *parent)
{
	return thread->nodes >= SELFMON_PLACES_MAX && parent != thread->root &&
	       parent->region != SELFMON_REGION_ASYNC;
}

/*
 * Enlarges the table if it is too full. Returns true if it has room for a node.
 * One slot must stay free, since a search ends at a free slot.
 */
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

/*
 * From the first such visit on, no node has limits in the recorder: see
 * store/limits.c. The count is incremented first, since it is read there.
 */
void selfmon_tree_displaced(struct selfmon_thread *thread,
			    struct selfmon_node *parent)
{
	selfmon_rare_add(parent->stats, SELFMON_RARE_OVERLAPPED, 1);
	selfmon_arch_add(&thread->record->displaced, 1);
	if (thread->recorder && !thread->recorder->displaced) {
		selfmon_limits_lower(thread);
		selfmon_compiler_fence();
		thread->recorder->displaced = true;
	}
}

/* Takes no lock: if the tree is full, each visit may call this. */
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
