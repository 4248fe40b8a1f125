/* SPDX-License-Identifier: MIT */
#include "store/sample.h"

#include "store/self.h"
#include "store/statistics.h"

uint32_t selfmon_sample_seed(const struct selfmon_thread *thread)
{
	const uint64_t mixed = (selfmon_arch_timestamp() ^
				(uint64_t)(uintptr_t)thread) *
			       UINT64_C(0x9e3779b97f4a7c15);

	return thread->every > 1 ? (uint32_t)(mixed >> 32) | 1 : 0;
}

/*
 * Returns a random number from 0 to n - 1: xorshift32 (Marsaglia 2003,
 * "Xorshift RNGs"), scaled.
 */
static uint32_t random_below(struct selfmon_thread *thread, uint32_t n)
{
	uint32_t x = thread->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	thread->random = x;
	return (uint32_t)((uint64_t)x * n >> 32);
}

static void add_weighted(struct selfmon_weighted *to,
			 const struct selfmon_weighted *from, uint64_t weight)
{
	size_t i;

	selfmon_arch_add(&to->inside.measured, weight * from->inside.measured);
	selfmon_arch_add(&to->inside.skipped, weight * from->inside.skipped);
	selfmon_arch_add(&to->ticks, weight * from->ticks);
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		selfmon_arch_add(&to->counter[i], weight * from->counter[i]);
}

/* Chooses at random which visit of the next group is measured. */
static void choose_next(struct selfmon_thread *thread,
			struct selfmon_node *node)
{
	struct selfmon_sampled *const sampled = node->sampled;
	const uint64_t own = sampled->size ? sampled->size : 1;
	uint64_t size = sampled->next ? 2 * own : 1;
	uint32_t place;

	if (size > thread->every)
		size = thread->every;
	place = random_below(thread, (uint32_t)size);
	node->countdown = node->remainder + place;
	node->remainder = (uint32_t)size - 1 - place;
	sampled->group = sampled->next;
	sampled->next += own;
	sampled->size = size;
}

bool selfmon_sample_skips(struct selfmon_thread *thread,
			  struct selfmon_node *node)
{
	if (!thread->random)
		return false;
	if (node->countdown > 0) {
		node->countdown--;
		return true;
	}
	choose_next(thread, node);
	return false;
}

void selfmon_sample_look(const struct selfmon_stats *stats,
			 struct selfmon_sample_sums *sums)
{
	size_t i;

	sums->ticks = stats->ticks.sum;
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		sums->counter[i] = stats->counter[i].sum;
}

/*
 * Stores the values of the measured visit that has just ended. First adds the
 * values of the previous measured visit, multiplied by its weight. The weight
 * is the number of visits for which the previous visit stands. This number is
 * known only now.
 */
static void keep_last(struct selfmon_node *node,
		      const struct selfmon_sample_sums *before,
		      const struct selfmon_inside *inside)
{
	const struct selfmon_stats *const stats = node->stats;
	struct selfmon_sampled *const to = node->sampled;
	size_t i;

	add_weighted(&to->sum, &to->last, to->group - to->weights);
	to->weights = to->group;
	to->last.inside = *inside;
	to->last.ticks = stats->ticks.sum - before->ticks;
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		to->last.counter[i] =
			stats->counter[i].sum - before->counter[i];
}

void selfmon_sample_end(struct selfmon_thread *thread,
			const struct selfmon_sample_sums *before)
{
	struct selfmon_visit *const open = thread->top;
	struct selfmon_visit *const around = open - 1;

	if (before)
		keep_last(open->node, before, &open->inside);
	if (around == thread->open) /* the sentinel */
		return;
	selfmon_arch_add(&around->inside.measured, open->inside.measured);
	selfmon_arch_add(&around->inside.skipped, open->inside.skipped);
	selfmon_arch_add(before ? &around->inside.measured
				: &around->inside.skipped, 1);
}
