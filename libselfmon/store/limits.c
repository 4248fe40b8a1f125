/* SPDX-License-Identifier: MIT */
#include "store/limits.h"

#include "store/frames.h"

/*
 * Returns true if visits of the node need an entry in the recorder: if the
 * recorder has a trace, or if a slow visit or a frame may contain them. No
 * visit contains the visits of a node directly below the root. In a full tree,
 * visits of other places use such nodes too.
 */
static bool needs_entries(const struct selfmon_thread *thread,
			  const struct selfmon_node *node)
{
	return thread->recorder->traced ||
	       selfmon_frames_are_valid(thread, thread->frames) ||
	       selfmon_load_once(&thread->record->displaced) ||
	       node->parent != thread->root;
}

/* If nothing changes, stores nothing: pages of a live file stay clean. */
static void lower_limit(uint64_t *limit)
{
	if (selfmon_load_once(limit))
		selfmon_store_once(limit, 0);
}

/*
 * In this order: if the thread sets both limits in between, only `recorded` is
 * 0, and the node's next slow visit sets both again.
 */
static void recall_node(struct selfmon_stats *stats)
{
	lower_limit(&stats->unusual);
	lower_limit(&stats->recorded);
}

/*
 * A handler may count the node's first units, mark the thread's first frame, or
 * find the tree full, and another thread may lower the limit, after all this
 * was read here. Therefore it is read again after the node's limits are set.
 * The fence pairs with the one in selfmon_limits_recall(): if neither load of
 * the limit sees the lower one, the 0 is stored last.
 */
void selfmon_limits_set(const struct selfmon_thread *thread,
			struct selfmon_node *node,
			const struct selfmon_watch *watch)
{
	struct selfmon_stats *const stats = node->stats;
	const uint64_t limit = watch ? selfmon_load_once(&watch->limit)
				     : SELFMON_WATCH_LIMIT_MAX;
	const uint64_t max = stats->ticks.max;
	const uint64_t least = (max < limit ? max : limit) + 1;

	if (selfmon_load_once(&stats->work))
		return; /* `recorded` is 0 and stays 0 */
	selfmon_store_once(&stats->recorded, least);
	if (!needs_entries(thread, node))
		selfmon_store_once(&stats->unusual, least);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (selfmon_load_once(&stats->work) ||
	    (watch && selfmon_load_once(&watch->limit) < limit))
		recall_node(stats);
	else if (needs_entries(thread, node))
		lower_limit(&stats->unusual);
}

void selfmon_limits_frames(struct selfmon_thread *thread)
{
	struct selfmon_node *node;

	if (!thread->recorder)
		return;
	for (node = thread->root; node; node = node->next)
		lower_limit(&node->stats->unusual);
}

void selfmon_limits_recall(const struct selfmon_process *process)
{
	const struct selfmon_thread *thread;
	struct selfmon_node *node;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* Acquire: threads and nodes are complete before they are listed. */
	thread = __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	for (; thread; thread = thread->next)
		for (node = thread->root; node;
		     node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE))
			recall_node(node->stats);
}
