/* SPDX-License-Identifier: MIT */
/*
 * The memory of fibers, which is reused but never freed. It is wiped in a
 * forked child, so the child has no fibers.
 */
#include "store/fiber.h"

#include <string.h>

#include "store/config.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/process.h"

static void *take_wiped(size_t size)
{
	struct selfmon_process *const process = selfmon_process();
	void *memory;

	if (!process)
		return NULL;
	selfmon_process_lock(process);
	memory = selfmon_memory_wiped(size);
	selfmon_process_unlock(process);
	return memory;
}

static struct selfmon_fiber *take_used(void)
{
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_fiber *fiber;

	if (!process)
		return NULL;
	selfmon_process_lock(process);
	fiber = process->fibers;
	if (fiber)
		process->fibers = fiber->next;
	selfmon_process_unlock(process);
	return fiber;
}

/* A fiber that reuses memory of another one still gets a new number. */
static uint64_t last_traced;

struct selfmon_fiber *selfmon_fiber_make(uint32_t region)
{
	struct selfmon_fiber *fiber = take_used();

	if (!fiber)
		fiber = take_wiped(sizeof(*fiber));
	if (!fiber)
		return NULL;
	fiber->region = region;
	fiber->units |= selfmon_config()->off_cpu ||
			*selfmon_config()->sample || *selfmon_config()->trace;
	fiber->traced = region ? __atomic_add_fetch(&last_traced, 1,
						    __ATOMIC_RELAXED)
			       : 0;
	fiber->count = 0;
	fiber->since = 0;
	fiber->running = NULL;
	fiber->ran = NULL;
	fiber->counted = 0;
	fiber->stack = SELFMON_STACK_EXACT;
	fiber->stack_low = 0;
	fiber->stack_high = SELFMON_LOW_NONE;
	memset(&fiber->values, 0, sizeof(fiber->values));
	__atomic_store_n(&fiber->alive, SELFMON_FIBER_ALIVE, __ATOMIC_RELEASE);
	return fiber;
}

void selfmon_fiber_reuse(struct selfmon_fiber *fiber)
{
	struct selfmon_process *const process = selfmon_process();

	if (!process)
		return;
	selfmon_process_lock(process);
	fiber->next = process->fibers;
	process->fibers = fiber;
	selfmon_process_unlock(process);
}

void selfmon_fiber_grow(struct selfmon_fiber *fiber)
{
	struct selfmon_fiber_more **more = &fiber->more;

	while (*more)
		more = &(*more)->next;
	*more = take_wiped(sizeof(**more));
}

struct selfmon_suspended *selfmon_fiber_more(const struct selfmon_fiber *fiber,
					     unsigned int i)
{
	struct selfmon_fiber_more *more = fiber->more;

	for (i -= SELFMON_FIBER_VISITS; more && i >= SELFMON_FIBER_STEP;
	     i -= SELFMON_FIBER_STEP)
		more = more->next;
	return more ? &more->visit[i] : NULL;
}

uint64_t *selfmon_fiber_units(void)
{
	return take_wiped(SELFMON_MAX_UNITS * sizeof(uint64_t));
}

/* Cuts off the saved visits of a stack that no longer exists. */
static void cut_off(struct selfmon_fiber *fiber)
{
	unsigned int i;

	for (i = 0; i < fiber->count; i++) {
		struct selfmon_stats *const stats =
			selfmon_fiber_visit(fiber, i)->node->stats;

		selfmon_rare_add(stats, SELFMON_RARE_CUT_OFF, 1);
		selfmon_rare_add(stats, SELFMON_RARE_RESUMED, 1);
	}
	fiber->count = 0;
}

void selfmon_fiber_end_thread(struct selfmon_thread *thread)
{
	struct selfmon_fiber *const fiber = thread->fiber;

	if (!fiber)
		return;
	cut_off(thread->own);
	if (fiber != thread->own && fiber->running == thread) {
		fiber->running = NULL;
		fiber->ran = NULL;
		fiber->counted = 0;
		fiber->since = 0;
		cut_off(fiber);
		fiber->alive = SELFMON_FIBER_ENDED;
	}
	selfmon_store_once(&thread->fiber, NULL);
	selfmon_store_once(&thread->switching, 0);
}
