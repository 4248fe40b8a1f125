/* SPDX-License-Identifier: MIT */
#include "store/watch.h"

#include <stddef.h>

#include "clock/clock.h"
#include "platform/kernel.h"
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

uint64_t selfmon_watch_limit_ns(uint64_t ticks)
{
	const struct selfmon_config *const config = selfmon_config();

	if (config->watch_ns && ticks == config->watch_ticks)
		return config->watch_ns;
	if (config->longer_ns && ticks == config->longer_ticks)
		return config->longer_ns;
	return selfmon_watch_ns(ticks);
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
