/* SPDX-License-Identifier: MIT */
/*
 * A thread's call tree: nodes by parent and region. A parent remembers its
 * last child for each of sixteen residues of the region's id, which is what
 * enter looks at; behind it is a hash over the whole tree.
 */
#include <stddef.h>

#include "region/live.h"

#define TABLE_LOG2_MIN 8
/* Half full at most: the first probe mostly finds, and old tables stay. */
#define TABLE_LOAD 2

static size_t slot_of_node(const struct selfmon_thread *thread,
			   const struct selfmon_node *parent, uint32_t region)
{
	return (size_t)(parent->multiplier * region >> thread->table_shift);
}

/* Stands in a free slot for a remembered child: no region has its id. */
static struct selfmon_node no_child = { .region = SELFMON_REGION_NONE };

static void forget_children(struct selfmon_node *node)
{
	size_t i;

	for (i = 0; i < SELFMON_CHILDREN; i++)
		node->child[i] = &no_child;
}

/* Free slots hold the root, which is nobody's child. */
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
	size_t i = slot_of_node(thread, node->parent, node->region);

	while (thread->table[i] != thread->root)
		i = (i + 1) & mask;
	thread->table[i] = node;
}

/* Where there is no memory for more slots, a fuller table goes on serving. */
static void tree_grow(struct selfmon_thread *thread)
{
	const unsigned int log2 = 65 - thread->table_shift;
	struct selfmon_node **table = table_make(thread, log2);
	struct selfmon_node *node;

	if (!table)
		return;
	thread->table = table;
	thread->table_shift = 64 - log2;
	for (node = thread->newest; node; node = node->next)
		if (node->parent)
			tree_insert(thread, node);
}

/*
 * A node and its statistics, unless these are in the live file. What a visit
 * with time alone looks at in either is one cache line.
 */
struct place {
	struct selfmon_node node;
	struct selfmon_stats stats;
	struct selfmon_sampled sampled[]; /* one, or none */
};

#define PLACE_HOT offsetof(struct place, node.stats)
#define PLACE_HOT_END offsetof(struct place, stats.ticks.max)
#define PLACE_OFFSET (-PLACE_HOT % SELFMON_LINE)

_Static_assert(offsetof(struct selfmon_node, region) > PLACE_HOT &&
		       offsetof(struct selfmon_node, countdown) > PLACE_HOT,
	       "what a visit looks at in a node is at its end");
_Static_assert(offsetof(struct place, sampled) == sizeof(struct place),
	       "selfmon_sampled_of() finds it behind the statistics");
_Static_assert(PLACE_HOT_END - PLACE_HOT <= SELFMON_LINE,
	       "a node's hot part and its statistics' are one line");
_Static_assert(PLACE_HOT_END - offsetof(struct place, stats) ==
		       6 * sizeof(uint64_t),
	       "six words of the statistics are looked at by each visit");

/* Odd numbers that share no pattern: splitmix64 of a counter. */
static uint64_t multiplier(uint64_t n)
{
	n *= UINT64_C(0x9e3779b97f4a7c15);
	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return (n ^ n >> 31) | 1;
}

static size_t place_size(const struct selfmon_thread *thread)
{
	if (thread->live)
		return sizeof(struct selfmon_node);
	return sizeof(struct place) + (selfmon_config()->every > 1
					       ? sizeof(struct selfmon_sampled)
					       : 0);
}

/* The node is whole but for them; they go to the live file, or to room. */
static struct selfmon_stats *stats_make(const struct selfmon_thread *thread,
					const struct selfmon_node *node,
					struct selfmon_stats *room)
{
	struct selfmon_stats *stats = selfmon_live_add_node(thread, node);

	if (stats)
		return stats;
	if (room)
		stats = room;
	else
		stats = selfmon_memory_wiped(sizeof(*stats) +
					     sizeof(struct selfmon_sampled));
	if (stats)
		selfmon_stats_init(stats);
	return stats;
}

/* In the tree, but nobody sees it yet. */
static struct selfmon_node *begin_node(struct selfmon_thread *thread,
				       struct selfmon_node *parent,
				       uint32_t region)
{
	struct selfmon_node *node;
	struct place *place;

	place = selfmon_memory_wiped_at(PLACE_OFFSET, place_size(thread));
	if (!place)
		return NULL;
	node = &place->node;
	node->parent = parent;
	node->region = region;
	node->ordinal = thread->nodes;
	node->stats =
		stats_make(thread, node, thread->live ? NULL : &place->stats);
	if (!node->stats)
		return NULL;
	node->multiplier = multiplier(thread->nodes + 1);
	forget_children(node);
	node->next = thread->newest;
	thread->nodes++;
	return node;
}

int selfmon_tree_init(struct selfmon_thread *thread)
{
	thread->root = begin_node(thread, NULL, 0);
	if (!thread->root)
		return -1;
	thread->table_shift = 64 - TABLE_LOG2_MIN;
	thread->table = table_make(thread, TABLE_LOG2_MIN);
	if (!thread->table)
		return -1;
	thread->node = thread->root;
	thread->newest = thread->root;
	return 0;
}

struct selfmon_node *selfmon_tree_find(const struct selfmon_thread *thread,
				       struct selfmon_node *parent,
				       uint32_t region)
{
	const size_t mask = tree_slots(thread) - 1;
	size_t i = slot_of_node(thread, parent, region);
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
 * Has it as many places as it may have? Not below the root, where a program
 * makes them by names alone.
 */
static bool tree_is_full(const struct selfmon_thread *thread,
			 const struct selfmon_node *parent)
{
	return thread->nodes >= SELFMON_PLACES_MAX && parent != thread->root;
}

/* The table must keep a free slot, or a search would never end. */
static bool has_room(struct selfmon_thread *thread)
{
	if ((size_t)thread->nodes * TABLE_LOAD >= tree_slots(thread))
		tree_grow(thread);
	return thread->nodes + 1 < tree_slots(thread);
}

static struct selfmon_node *make_node(struct selfmon_thread *thread,
				      struct selfmon_node *parent,
				      uint32_t region)
{
	struct selfmon_node *node;

	if (!has_room(thread))
		return NULL;
	node = begin_node(thread, parent, region);
	if (!node)
		return NULL;
	tree_insert(thread, node);
	parent->child[region % SELFMON_CHILDREN] = node;
	/* Pairs with the reader's walk: a node is whole before it is seen. */
	__atomic_store_n(&thread->newest, node, __ATOMIC_RELEASE);
	return node;
}

/*
 * Takes the process lock to make a node; the caller has set the busy bit, so
 * that a handler that interrupts this does not come here too.
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
	node = make_node(thread, parent, region);
	selfmon_process_unlock(process);
	return node;
}

/* What its parent has of its own cannot be told then. */
void selfmon_tree_displaced(struct selfmon_thread *thread,
			    struct selfmon_node *parent)
{
	selfmon_rare_add(parent->stats, SELFMON_RARE_OVERLAPPED, 1);
	selfmon_arch_add(&thread->displaced, 1);
	if (thread->live)
		selfmon_arch_add(&thread->live->displaced, 1);
}

/* Takes no lock: in such a thread it may be each visit. */
struct selfmon_node *selfmon_tree_elsewhere(struct selfmon_thread *thread,
					    uint32_t region)
{
	struct selfmon_node *node;

	if (!tree_is_full(thread, thread->node) ||
	    selfmon_tree_find(thread, thread->node, region))
		return NULL;
	node = selfmon_tree_find(thread, thread->root, region);
	if (node)
		selfmon_tree_displaced(thread, thread->node);
	return node;
}

struct selfmon_node *selfmon_tree_place(struct selfmon_thread *thread,
					uint32_t region)
{
	struct selfmon_node *node = selfmon_tree_child(thread, thread->node,
						       region);

	if (node || !tree_is_full(thread, thread->node))
		return node;
	node = selfmon_tree_child(thread, thread->root, region);
	if (node)
		selfmon_tree_displaced(thread, thread->node);
	return node;
}
