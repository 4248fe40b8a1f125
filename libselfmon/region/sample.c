/* SPDX-License-Identifier: MIT */
/* Which visits are measured under SELFMON_EVERY, and what these hold. */
#include "region/sample.h"

uint32_t selfmon_sample_seed(const struct selfmon_thread *thread)
{
	const uint64_t mixed = (selfmon_arch_timestamp() ^
				(uint64_t)(uintptr_t)thread) *
			       UINT64_C(0x9e3779b97f4a7c15);

	return thread->every > 1 ? (uint32_t)(mixed >> 32) | 1 : 0;
}

/* xorshift32 (Marsaglia 2003, "Xorshift RNGs"), scaled to [0, n). */
static uint32_t random_below(struct selfmon_thread *thread, uint32_t n)
{
	uint32_t x = thread->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	thread->random = x;
	return (uint32_t)((uint64_t)x * n >> 32);
}

/*
 * Visits fall into groups of N. remainder is how many of the measured one's
 * group come after it; the next measured one is somewhere in the next group.
 */
bool selfmon_sample_skips(struct selfmon_thread *thread,
			  struct selfmon_node *node)
{
	uint32_t place;

	if (!thread->random)
		return false;
	if (node->countdown > 0) {
		node->countdown--;
		return true;
	}
	place = random_below(thread, thread->every);
	node->countdown = node->remainder + place;
	node->remainder = thread->every - 1 - place;
	return false;
}

static void keep_first(struct selfmon_stats *stats)
{
	struct selfmon_sampled *const to = selfmon_sampled_of(stats);
	size_t i;

	to->first_inside = to->inside;
	selfmon_store_once(&to->first_ticks, stats->ticks.sum);
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		selfmon_store_once(&to->first[i], stats->counter[i].sum);
}

static void add_inside(struct selfmon_inside *to,
		       const struct selfmon_inside *inside)
{
	selfmon_arch_add(&to->measured, inside->measured);
	selfmon_arch_add(&to->skipped, inside->skipped);
}

void selfmon_sample_end(struct selfmon_thread *thread, bool measured)
{
	struct selfmon_open *const open = thread->top;
	struct selfmon_open *const around = open - 1;
	struct selfmon_stats *const stats = open->node->stats;

	if (measured) {
		add_inside(&selfmon_sampled_of(stats)->inside, &open->inside);
		if (selfmon_stats_visits(stats) == 1)
			keep_first(stats);
	}
	if (around == thread->open) /* the sentinel */
		return;
	add_inside(&around->inside, &open->inside);
	selfmon_arch_add(measured ? &around->inside.measured
				  : &around->inside.skipped, 1);
}
