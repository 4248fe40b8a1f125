/* SPDX-License-Identifier: MIT */
/*
 * Makes a consistent copy of one node's statistics while its thread keeps
 * running.
 *
 * The reader retries until the sequence is even and unchanged. A writer that is
 * descheduled in the middle of an update blocks readers for as long as it
 * sleeps. After a thousand tries the reader asks the writer to make the copy
 * itself, at its next enter.
 *
 * If the sequence stays odd, a jump abandoned the update or the writer's thread
 * does not run. The copy then contains half an update, and is repaired
 * (mend.c). The original statistics are not repaired: the update may still
 * continue, and its visit stays open until it is cut off.
 */
#include "store/copy.h"

#include "platform/kernel.h"
#include "store/process.h"
#include "store/self.h"

#define TRIES 1000
#define TRIES_BEFORE_YIELD 16
#define ANSWER_NS 1000000u
/*
 * About two seconds: with many threads, the owner may wait that long for a CPU.
 */
#define ANSWER_TRIES 2000

/* Copies all words except the sequence, each with one load. */
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
 * Makes the copy between two updates or, if updating is true, during an update
 * that makes no progress. Pairs with selfmon_stats_begin() and
 * selfmon_stats_end().
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
	for (tries = 0; tries < ANSWER_TRIES; tries++) {
		selfmon_thread_request(thread);
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

/*
 * Only one reader at a time: the caller holds the report lock. If an update
 * makes no progress, the sequence of the copy is odd. Returns false if no copy
 * could be made.
 *
 * An update of the calling thread never makes progress here: either a jump
 * abandoned it, or the caller is a signal handler that interrupted it. Waiting
 * for it would be useless.
 */
bool selfmon_stats_read(struct selfmon_thread *thread,
			const struct selfmon_node *node,
			struct selfmon_stats *copy)
{
	return (thread == selfmon_thread_self() &&
		try_copy(node->stats, true, copy)) ||
	       try_often(node->stats, copy) || ask(thread, node, copy) ||
	       try_copy(node->stats, true, copy);
}

/*
 * Called by the owner to make the requested copy between two updates. If this
 * is a handler that interrupted an update, the request stays pending. A reader
 * that gave up may have requested another node meanwhile, which is then copied
 * next.
 */
void selfmon_stats_answer(struct selfmon_thread *thread)
{
	const struct selfmon_node *node;
	uint64_t *out = (uint64_t *)(void *)thread->copy;
	const uint64_t *in;
	size_t i;

	selfmon_thread_drop_mode(thread, SELFMON_MODE_REQUEST);
	node = __atomic_load_n(&thread->wanted, __ATOMIC_ACQUIRE);
	if (!node)
		return;
	if (node->stats->sequence & 1) {
		selfmon_thread_add_mode(thread, SELFMON_MODE_REQUEST);
		return;
	}
	in = (const uint64_t *)(const void *)node->stats;
	for (i = 0; i < sizeof(*thread->copy) / sizeof(*in); i++)
		selfmon_store_once(&out[i], in[i]);
	__atomic_compare_exchange_n(&thread->wanted, &node, NULL, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
