/* SPDX-License-Identifier: MIT */
#include "store/limits.h"

#include "clock/clock.h"
#include "store/frames.h"
#include "store/slowest.h"

/*
 * Limits the time of a review to some microseconds: nodes at the top level take
 * one step, others one for each level.
 */
#define REVIEW_STEPS 256

/* ---- the shortest part --------------------------------------------------- */

/*
 * Returns a time: visits of the node that are stored with their parts are
 * longer. A shorter one is not among the slowest, or cannot be the visit in
 * progress, which has lasted longer already. SELFMON_WATCH_NONE: none is stored.
 */
static uint64_t stored_above(const struct selfmon_node *node)
{
	const struct selfmon_watch *const watch =
		selfmon_watch_of(selfmon_process(), node->region);
	const uint64_t lasting = selfmon_load_once(&node->stats->lasting);
	uint64_t ticks;

	if (!watch || !watch->slowest)
		return SELFMON_WATCH_NONE;
	ticks = selfmon_load_once(&watch->slowest->limit);
	if (lasting > ticks && !(lasting & SELFMON_LASTED))
		ticks = lasting;
	return ticks < SELFMON_WATCH_NONE ? ticks : SELFMON_WATCH_NONE - 1;
}

static uint64_t stored_frames_above(const struct selfmon_thread *thread)
{
	const struct selfmon_frames *const frames = thread->frames;
	uint64_t least = SELFMON_WATCH_NONE, ticks;
	uint32_t i;

	if (!selfmon_frames_are_valid(thread, frames))
		return least;
	for (i = 0; i < selfmon_load_once(&frames->names); i++) {
		ticks = stored_above(frames->open[i].node);
		if (ticks < least)
			least = ticks;
	}
	return least;
}

/*
 * Returns the shortest time of the node's visits that need an entry in the
 * recorder, or SELFMON_WATCH_NONE: no visit that is stored contains them. All
 * visits need an entry if the recorder has a trace, or if the tree is full:
 * then visits of other places use nodes directly below the root.
 */
static uint64_t shortest_part(const struct selfmon_thread *thread,
			      const struct selfmon_node *node)
{
	const struct selfmon_node *around = node->parent;
	uint64_t least, ticks;

	if (thread->recorder->traced)
		return 0;
	if (!selfmon_config()->record || !around || around == thread->async)
		return SELFMON_WATCH_NONE;
	if (selfmon_load_once(&thread->record->displaced))
		return 0;
	least = stored_frames_above(thread);
	for (; around->parent; around = around->parent) {
		ticks = stored_above(around);
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

static void lower_node(struct selfmon_stats *stats)
{
	lower_limit(&stats->unusual);
	lower_limit(&stats->part);
}

/*
 * After this function has read the values on which the limits depend, a handler
 * may count the node's first units, mark the thread's first frame, or find the
 * tree full, and another thread may lower limits. So the values are read again
 * after the node's limits are stored. The fence pairs with those of
 * selfmon_limits_recall(): if the second reading still misses a lower limit,
 * recall stores its 0 after the stores of this function.
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
	const uint64_t part = shortest_part(thread, node);

	selfmon_store_once(&stats->part, part);
	/* With units, `recorded` and `unusual` are 0 and stay 0. */
	if (!selfmon_load_once(&stats->work)) {
		selfmon_store_once(&stats->recorded, least);
		selfmon_store_once(&stats->unusual, part < least ? part : least);
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (selfmon_load_once(&stats->work) ||
	    (watch && selfmon_load_once(&watch->limit) < limit)) {
		lower_limit(&stats->recorded);
		lower_limit(&stats->unusual);
	}
	if (shortest_part(thread, node) < part)
		lower_node(stats);
}

/*
 * The fence pairs with the last one of selfmon_limits_recall(): if the limits are
 * lowered meanwhile, and this function does not see it, the 0 is stored last.
 */
void selfmon_limits_restore(struct selfmon_stats *stats)
{
	const uint64_t recorded = selfmon_load_once(&stats->recorded),
		       part = selfmon_load_once(&stats->part);

	selfmon_store_once(&stats->unusual, part < recorded ? part : recorded);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (selfmon_load_once(&stats->recorded) != recorded ||
	    selfmon_load_once(&stats->part) != part)
		selfmon_store_once(&stats->unusual, 0);
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

/*
 * All visits of the nodes below this one get entries, until limits are set. A
 * node is made after its parent.
 */
static void lower_below(const struct selfmon_node *around)
{
	struct selfmon_node *node;

	for (node = around->next; node; node = node->next)
		if (is_node_below(node, around))
			lower_node(node->stats);
}

void selfmon_limits_lower(const struct selfmon_thread *thread)
{
	if (thread->recorder)
		lower_below(thread->root);
}

/*
 * The visit that began before this moment may lack parts because of the time in
 * `lasting`. So this time counts like a limit of the interval that ends.
 */
static void recall_lasting(struct selfmon_node *node)
{
	struct selfmon_watch *const watch =
		selfmon_watch_of(selfmon_process(), node->region);
	const uint64_t lasted = selfmon_load_once(&node->stats->lasting) &
				~SELFMON_LASTED;

	if (!lasted)
		return;
	if (watch && selfmon_load_once(&watch->before) < lasted)
		selfmon_store_once(&watch->before, lasted);
	selfmon_store_once(&node->stats->lasting, 0);
}

/* What recall_all() lowers. */
enum recalled { LASTING, RECORDED, UNUSUAL };

static void recall_all(const struct selfmon_process *process,
		       enum recalled what)
{
	const struct selfmon_thread *thread;
	struct selfmon_node *node;

	/*
	 * Orders this pass after the stores that its limits depend on: those of
	 * the caller, and those of the previous pass.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* Acquire: threads and nodes are complete before they are listed. */
	thread = __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	for (; thread; thread = thread->next)
		for (node = thread->root; node;
		     node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE)) {
			if (what == LASTING) {
				recall_lasting(node);
			} else if (what == RECORDED) {
				lower_limit(&node->stats->recorded);
				lower_limit(&node->stats->part);
			} else {
				lower_limit(&node->stats->unusual);
			}
		}
}

/*
 * In this order, since `part` depends on `lasting` of other nodes, and `unusual`
 * on `recorded` and `part`. Meanwhile other threads may set limits by old values.
 * They read the values again after they have stored the limits and a fence.
 * Either they then see the new values and store 0, or a later pass stores 0.
 */
void selfmon_limits_recall(const struct selfmon_process *process)
{
	recall_all(process, LASTING);
	recall_all(process, RECORDED);
	recall_all(process, UNUSUAL);
}

/* ---- visits in progress -------------------------------------------------- */

/*
 * Negative times are not used: the timestamp counters of two CPUs may differ. A
 * longer time of an earlier visit is kept, also with SELFMON_LASTED, since
 * limits may be based on it.
 */
static void note_lasting(struct selfmon_node *node, uint64_t ticks)
{
	const uint64_t lasted = selfmon_load_once(&node->stats->lasting) &
				~SELFMON_LASTED;

	if ((int64_t)ticks > 0 && ticks > lasted && ticks > stored_above(node))
		selfmon_store_once(&node->stats->lasting, ticks);
}

/*
 * A visit in progress will last at least as long as it has lasted so far. A node
 * has one visit in progress at a time. Only on a fiber it may have others, on
 * other fibers, so the times of a fiber's visits are not used.
 */
static void note_all_lasting(const struct selfmon_thread *thread)
{
	const uint64_t now = selfmon_clock_ticks();
	const struct selfmon_frames *const frames = thread->frames;
	const struct selfmon_visit *open;
	uint64_t start;
	uint32_t i;

	for (i = 0; selfmon_frames_are_valid(thread, frames) &&
		    i < selfmon_load_once(&frames->names); i++) {
		start = selfmon_load_once(&frames->open[i].start);
		if (start)
			note_lasting(frames->open[i].node, now - start);
	}
	if (thread->fiber && thread->fiber != thread->own)
		return;
	for (open = thread->top; open > thread->open; open--)
		if (selfmon_mark_is_open(selfmon_load_once(&open->mark)))
			note_lasting(open->node, now - open->start.ticks);
}

static unsigned int depth_of(const struct selfmon_node *node)
{
	unsigned int depth = 0;

	for (; node->parent; node = node->parent)
		depth++;
	return depth;
}

void selfmon_limits_review(struct selfmon_thread *thread)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_node *node = recorder->reviewed;
	unsigned int n, steps = 0;

	selfmon_store_once(&recorder->review_at,
			   recorder->position + SELFMON_RECORDER_ENTRIES);
	selfmon_compiler_fence();
	note_all_lasting(thread);
	for (n = 0; n < thread->nodes && steps < REVIEW_STEPS; n++) {
		node = node && node->next ? node->next : thread->root->next;
		selfmon_limits_set(thread, node,
				   selfmon_watch_of(selfmon_process(),
						    node->region));
		steps += depth_of(node);
	}
	recorder->reviewed = node;
}

uint64_t selfmon_limits_listed(const struct selfmon_node *node, uint64_t ticks)
{
	const uint64_t lasted = selfmon_load_once(&node->stats->lasting) &
				~SELFMON_LASTED;

	return lasted > ticks ? lasted / SELFMON_SLOW_FRACTION : 0;
}

/*
 * If a handler jumps out while limits are lowered, `lasting` keeps the time for
 * selfmon_limits_listed(), and the next visit lowers the limits again.
 */
void selfmon_limits_end(const struct selfmon_thread *thread,
			struct selfmon_node *node,
			const struct selfmon_slowest *slowest)
{
	uint64_t *const lasting = &node->stats->lasting;
	const uint64_t lasted = selfmon_load_once(lasting) & ~SELFMON_LASTED;

	if (!lasted)
		return;
	selfmon_store_once(lasting, lasted | SELFMON_LASTED);
	selfmon_compiler_fence();
	if (lasted > selfmon_load_once(&slowest->limit))
		lower_below(node->parent == thread->async ? thread->root : node);
	selfmon_compiler_fence();
	selfmon_store_once(lasting, 0);
}
