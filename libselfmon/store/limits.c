/* SPDX-License-Identifier: MIT */
#include "store/limits.h"

#include "clock/clock.h"
#include "store/frames.h"
#include "store/slowest.h"

/* Number of nodes whose limits are set by one review. */
#define REVIEWED 64

/* ---- the shortest part --------------------------------------------------- */

static struct selfmon_lasting *lasting_of(struct selfmon_recorder *recorder,
					  const struct selfmon_node *node)
{
	size_t i;

	for (i = 0; i < SELFMON_LASTING; i++)
		if (recorder->lasting[i].node == node)
			return &recorder->lasting[i];
	return NULL;
}

/*
 * Returns a time: only longer visits of the node are stored with their parts.
 * Shorter ones are not among the slowest, or shorter than the visit in progress
 * has lasted.
 */
static uint64_t stored_above(const struct selfmon_thread *thread,
			     const struct selfmon_node *node)
{
	const struct selfmon_watch *const watch =
		selfmon_watch_of(selfmon_process(), node->region);
	const struct selfmon_lasting *const lasting =
		lasting_of(thread->recorder, node);
	uint64_t limit;

	if (!watch || !watch->slowest)
		return SELFMON_WATCH_NONE;
	limit = selfmon_load_once(&watch->slowest->limit);
	return lasting && lasting->ticks > limit ? lasting->ticks : limit;
}

static uint64_t stored_frames_above(const struct selfmon_thread *thread)
{
	const struct selfmon_frames *const frames = thread->frames;
	uint64_t least = SELFMON_WATCH_NONE, ticks;
	uint32_t i;

	if (!selfmon_frames_are_valid(thread, frames))
		return least;
	for (i = 0; i < selfmon_load_once(&frames->names); i++) {
		ticks = stored_above(thread, frames->open[i].node);
		if (ticks < least)
			least = ticks;
	}
	return least;
}

/*
 * Returns the shortest time of the node's visits that need an entry in the
 * recorder, or SELFMON_WATCH_NONE: no visit contains them whose parts are
 * stored. All visits need an entry if the recorder has a trace, or if the tree
 * is full: then visits of other places use nodes directly below the root.
 */
static uint64_t shortest_part(const struct selfmon_thread *thread,
			      const struct selfmon_node *node)
{
	const struct selfmon_node *around = node->parent;
	uint64_t least, ticks;

	if (thread->recorder->traced ||
	    selfmon_load_once(&thread->record->displaced))
		return 0;
	if (!around || around == thread->async)
		return SELFMON_WATCH_NONE;
	least = stored_frames_above(thread);
	for (; around->parent; around = around->parent) {
		ticks = stored_above(thread, around);
		if (ticks < least)
			least = ticks;
	}
	return least < SELFMON_WATCH_NONE ? least / SELFMON_SLOW_FRACTION
					  : least;
}

/* ---- the limits of a node ------------------------------------------------ */

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
	uint64_t part;

	if (selfmon_load_once(&stats->work))
		return; /* `recorded` is 0 and stays 0 */
	part = shortest_part(thread, node);
	selfmon_store_once(&stats->recorded, least);
	selfmon_store_once(&stats->unusual, part < least ? part : least);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (selfmon_load_once(&stats->work) ||
	    (watch && selfmon_load_once(&watch->limit) < limit))
		recall_node(stats);
	else if (shortest_part(thread, node) < part)
		lower_limit(&stats->unusual);
}

/* ---- the limits of all nodes --------------------------------------------- */

static bool is_node_below(const struct selfmon_node *node,
			  const struct selfmon_node *around)
{
	do
		node = node->parent;
	while (node && node != around);
	return node != NULL;
}

/* All visits of the nodes below this one get entries, until limits are set. */
static void lower_below(struct selfmon_thread *thread,
			const struct selfmon_node *around)
{
	struct selfmon_node *node;

	for (node = thread->root; node; node = node->next)
		if (is_node_below(node, around))
			lower_limit(&node->stats->unusual);
}

void selfmon_limits_frames(struct selfmon_thread *thread)
{
	if (thread->recorder)
		lower_below(thread, thread->root);
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

/*
 * If all elements are in use, by visits that were left without an end, the time
 * of further visits in progress is not used.
 */
static void note_lasting(struct selfmon_recorder *recorder,
			 const struct selfmon_node *node, uint64_t ticks)
{
	struct selfmon_lasting *lasting = lasting_of(recorder, node);

	if (!lasting) {
		lasting = lasting_of(recorder, NULL);
		if (!lasting)
			return;
		lasting->ticks = 0;
		selfmon_compiler_fence();
		lasting->node = node;
	}
	lasting->ticks = ticks;
}

/*
 * A visit in progress will last at least as long as it has lasted so far. A node
 * has one visit in progress at a time. Only on a fiber it may have others, on
 * other fibers, so the times of a fiber's visits are not used.
 */
static void note_all_lasting(struct selfmon_thread *thread)
{
	const uint64_t now = selfmon_clock_ticks();
	const struct selfmon_visit *open;
	uint64_t ticks;

	if (thread->fiber && thread->fiber != thread->own)
		return;
	for (open = thread->top; open > thread->open; open--) {
		ticks = now - open->start.ticks;
		if (selfmon_mark_is_open(selfmon_load_once(&open->mark)) &&
		    ticks > stored_above(thread, open->node))
			note_lasting(thread->recorder, open->node, ticks);
	}
}

void selfmon_limits_review(struct selfmon_thread *thread)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_node *node = recorder->reviewed;
	unsigned int n;

	if (recorder->traced || recorder->reviewing ||
	    recorder->position < SELFMON_RECORDER_ENTRIES)
		return;
	selfmon_store_once(&recorder->reviewing, 1);
	note_all_lasting(thread);
	for (n = 0; n < REVIEWED && n < thread->nodes; n++) {
		node = node && node->next ? node->next : thread->root->next;
		selfmon_limits_set(thread, node,
				   selfmon_watch_of(selfmon_process(),
						    node->region));
	}
	recorder->reviewed = node;
	selfmon_store_once(&recorder->reviewing, 0);
}

uint64_t selfmon_limits_listed(const struct selfmon_thread *thread,
			       const struct selfmon_node *node, uint64_t ticks)
{
	const struct selfmon_lasting *const lasting =
		lasting_of(thread->recorder, node);

	return lasting && lasting->ticks > ticks
		       ? lasting->ticks / SELFMON_SLOW_FRACTION
		       : 0;
}

void selfmon_limits_end(struct selfmon_thread *thread,
			const struct selfmon_node *node,
			const struct selfmon_watch *watch)
{
	struct selfmon_lasting *const lasting =
		lasting_of(thread->recorder, node);
	uint64_t lasted;

	if (!lasting)
		return;
	lasted = lasting->ticks;
	selfmon_store_once(&lasting->node, NULL);
	if (lasted > selfmon_load_once(&watch->slowest->limit))
		lower_below(thread, node);
}
