/* SPDX-License-Identifier: MIT */
/*
 * A consistent copy of one node's statistics, while its thread goes on.
 *
 * Tried by the sequence. A writer that was descheduled in the middle of an
 * update keeps readers out for as long as it sleeps; after a thousand tries
 * it is asked to make the copy itself, at its next enter.
 *
 * An update that stands still was jumped out of, or its thread does not run:
 * its visit counts, in the copy, and what can be told from the sums is put
 * right there. The statistics themselves are not: whether the update goes on
 * cannot be seen from here, and its visit is open until it is cut off.
 */
#include <string.h>

#include "platform/kernel.h"
#include "region/process.h"
#include "region/thread.h"

#define TRIES 1000
#define TRIES_BEFORE_YIELD 16
#define ANSWER_NS 1000000u
/* Two seconds: many threads may have their turn on a CPU before the owner. */
#define ANSWER_TRIES 2000

/* All words but the sequence, each loaded once. */
static void copy_words(const struct selfmon_stats *from,
		       struct selfmon_stats *to)
{
	const uint64_t *in = (const uint64_t *)(const void *)from;
	uint64_t *out = (uint64_t *)(void *)to;
	size_t i;

	for (i = 1; i < sizeof(*from) / sizeof(*in); i++)
		out[i] = selfmon_load_once(&in[i]);
}

/*
 * Between two updates, or within one that stands still. Pairs with
 * selfmon_stats_begin() and selfmon_stats_end().
 */
static bool try_copy(const struct selfmon_stats *stats, bool updating,
		     struct selfmon_stats *copy)
{
	const uint64_t before =
		__atomic_load_n(&stats->sequence, __ATOMIC_ACQUIRE);

	if ((before & 1) != updating)
		return false;
	copy_words(stats, copy);
	copy->sequence = before;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return selfmon_load_once(&stats->sequence) == before;
}

static bool try_often(const struct selfmon_stats *stats,
		      struct selfmon_stats *copy)
{
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (try_copy(stats, false, copy))
			return true;
		if (tries % TRIES_BEFORE_YIELD == TRIES_BEFORE_YIELD - 1)
			selfmon_kernel_yield();
	}
	return false;
}

static bool ask(struct selfmon_thread *thread, const struct selfmon_node *node,
		struct selfmon_stats *copy)
{
	int tries;

	selfmon_store_once(&thread->wanted, node);
	__atomic_or_fetch(&thread->mode, SELFMON_MODE_REQUEST,
			  __ATOMIC_RELEASE);
	for (tries = 0; tries < ANSWER_TRIES; tries++) {
		if (!__atomic_load_n(&thread->wanted, __ATOMIC_ACQUIRE)) {
			copy_words(thread->copy, copy);
			copy->sequence = thread->copy->sequence;
			return true;
		}
		if (try_copy(node->stats, false, copy))
			break;
		selfmon_kernel_sleep_ns(ANSWER_NS);
	}
	__atomic_and_fetch(&thread->mode, ~SELFMON_MODE_REQUEST,
			   __ATOMIC_RELEASE);
	return tries < ANSWER_TRIES;
}

/* As selfmon_unwind_cut_off() will do to the statistics. */
static bool copy_standing(const struct selfmon_node *node,
			  struct selfmon_stats *copy)
{
	if (!try_copy(node->stats, true, copy))
		return false;
	selfmon_stats_mend(copy);
	copy->sequence++;
	return true;
}

/*
 * One reader at a time, under the report lock. updating: the copy has the visit
 * of an update that stands still. One of the calling thread's own does: that
 * was jumped out of, or is what a handler has interrupted that takes a report,
 * and has nobody to wait for. False: no copy was had.
 */
bool selfmon_stats_read(struct selfmon_thread *thread,
			const struct selfmon_node *node,
			struct selfmon_stats *copy, bool *updating)
{
	memset(copy, 0, sizeof(*copy));
	*updating = thread == selfmon_thread_self() &&
		    copy_standing(node, copy);
	if (!*updating && !try_often(node->stats, copy) &&
	    !ask(thread, node, copy)) {
		*updating = copy_standing(node, copy);
		if (!*updating)
			return false;
	}
	copy->histogram[copy->last]++; /* see selfmon_histogram_add() */
	return true;
}

/*
 * The owner's part, between two of its visits' updates; in a handler that
 * interrupted one, not yet. A reader that has given up meanwhile may have
 * asked for another node: then that is next.
 */
void selfmon_stats_answer(struct selfmon_thread *thread)
{
	const struct selfmon_node *node;
	uint64_t *out = (uint64_t *)(void *)thread->copy;
	const uint64_t *in;
	size_t i;

	__atomic_and_fetch(&thread->mode, ~SELFMON_MODE_REQUEST,
			   __ATOMIC_ACQ_REL);
	node = __atomic_load_n(&thread->wanted, __ATOMIC_ACQUIRE);
	if (!node)
		return;
	if (node->stats->sequence & 1) {
		__atomic_or_fetch(&thread->mode, SELFMON_MODE_REQUEST,
				  __ATOMIC_RELAXED);
		return;
	}
	in = (const uint64_t *)(const void *)node->stats;
	for (i = 0; i < sizeof(*thread->copy) / sizeof(*in); i++)
		selfmon_store_once(&out[i], in[i]);
	__atomic_compare_exchange_n(&thread->wanted, &node, NULL, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
