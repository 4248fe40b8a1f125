/* SPDX-License-Identifier: MIT */
#include "store/watch.h"

#include <stddef.h>

#include "clock/clock.h"
#include "platform/kernel.h"
#include "store/frames.h"
#include "store/memory.h"
#include "store/slowest.h"

/*
 * In memory that a forked child keeps, since parent and child have the same
 * clock.
 */
static struct selfmon_clock watch_clock;

void selfmon_watch_clock(void)
{
	struct selfmon_clock_pair first;

	if (watch_clock.mult || selfmon_clock_without_wait(&watch_clock))
		return;
	selfmon_clock_first_pair(&first);
	selfmon_clock_calibrate(&watch_clock, &first);
}

uint64_t selfmon_watch_ns(uint64_t ticks)
{
	return selfmon_clock_ns(&watch_clock, ticks);
}

uint64_t selfmon_watch_ticks(uint64_t ns)
{
	__extension__ typedef unsigned __int128 wide;
	const wide ticks = ((wide)ns << watch_clock.shift) / watch_clock.mult;

	return ticks < SELFMON_WATCH_NONE ? (uint64_t)ticks
					  : SELFMON_WATCH_NONE - 1;
}

static struct selfmon_watch *make_watch(struct selfmon_process *process,
					uint32_t region)
{
	const struct selfmon_config *const config = selfmon_config();
	struct selfmon_watch *const watch =
		selfmon_memory_wiped(sizeof(*watch));

	if (!watch)
		return NULL;
	if (config->traced && config->watch_quantile)
		watch->histogram = selfmon_memory_wiped(
			SELFMON_BUCKETS * sizeof(*watch->histogram));
	watch->region = region;
	watch->chosen = !config->watch_regions;
	watch->trigger = config->traced && config->watch_ticks
				 ? config->watch_ticks
				 : SELFMON_WATCH_NONE;
	watch->call = config->longer && config->longer_ticks
			      ? config->longer_ticks
			      : SELFMON_WATCH_NONE;
	watch->slowest = config->record
				 ? selfmon_slowest_of(process, region)
				 : NULL;
	selfmon_watch_update(watch, watch->slowest ? watch->slowest->limit
						   : SELFMON_WATCH_NONE);
	return watch;
}

static bool is_watching(void)
{
	const struct selfmon_config *const config = selfmon_config();

	return config->record || (config->longer && config->longer_ticks) ||
	       (config->traced &&
		(config->watch_ticks || config->watch_quantile));
}

/*
 * The lists are made with the first region. They are in wiped memory: a forked
 * child starts over.
 */
static struct selfmon_watch **list_of(struct selfmon_process *process,
				      uint32_t region)
{
	struct selfmon_watch **lists = process->watch;

	if (!lists) {
		lists = selfmon_memory_wiped(SELFMON_WATCH_LISTS *
					     sizeof(struct selfmon_watch *));
		if (!lists)
			return NULL;
		/* Release: readers without a lock see empty lists. */
		__atomic_store_n(&process->watch, lists, __ATOMIC_RELEASE);
	}
	return &lists[region % SELFMON_WATCH_LISTS];
}

void selfmon_watch_begin(struct selfmon_process *process,
			 const struct selfmon_thread *thread, uint32_t region)
{
	struct selfmon_watch **list, *watch;

	if (!thread->recorder || !thread->seen || !is_watching() ||
	    region >= SELFMON_REGION_ASYNC ||
	    selfmon_watch_of(process, region))
		return;
	list = list_of(process, region);
	watch = list ? make_watch(process, region) : NULL;
	if (!watch)
		return;
	watch->next = *list;
	/* Release: a reader that sees the watch sees all of it. */
	__atomic_store_n(list, watch, __ATOMIC_RELEASE);
}

struct selfmon_watch *selfmon_watch_of(struct selfmon_process *process,
				       uint32_t region)
{
	struct selfmon_watch *watch =
		selfmon_watch_first(process, region % SELFMON_WATCH_LISTS);

	while (watch && watch->region != region)
		watch = watch->next;
	return watch;
}

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
 * The fence pairs with the one in selfmon_watch_recall(): if neither load of
 * the limit sees the lower one, the 0 is stored last.
 */
void selfmon_watch_expect(const struct selfmon_thread *thread,
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

void selfmon_watch_frames(struct selfmon_thread *thread)
{
	struct selfmon_node *node;

	if (!thread->recorder)
		return;
	for (node = thread->root; node; node = node->next)
		lower_limit(&node->stats->unusual);
}

void selfmon_watch_recall(const struct selfmon_process *process)
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

void selfmon_watch_trigger(struct selfmon_process *process,
			   struct selfmon_watch *watch, uint64_t ticks)
{
	struct selfmon_signals signals;

	selfmon_kernel_block_signals(&signals);
	pthread_mutex_lock(&process->slow_lock);
	selfmon_store_once(&watch->trigger, ticks);
	selfmon_watch_update(watch, watch->slowest ? watch->slowest->limit
						   : SELFMON_WATCH_NONE);
	pthread_mutex_unlock(&process->slow_lock);
	selfmon_kernel_restore_signals(&signals);
}
