/* SPDX-License-Identifier: MIT */
/*
 * Makes a consistent copy of one node's statistics while its thread continues.
 *
 * The reader retries until the sequence is even and unchanged. If the writer is
 * descheduled during an update, readers must wait until it runs again. After a
 * thousand attempts the reader requests that the writer itself makes the copy,
 * at its next enter or another call.
 *
 * If the sequence is still odd after about two seconds, the update was
 * abandoned by a jump, or the writer's thread does not run. The copy then
 * contains a partial update, and is repaired (mend.c). The original is not
 * repaired: the update may still continue.
 */
#include "store/copy.h"

#include "platform/kernel.h"
#include "store/process.h"
#include "store/self.h"

#define TRIES 1000
#define TRIES_BEFORE_YIELD 16
#define ANSWER_NS 1000000u
/*
 * About two seconds. If there are many threads, the writer may have to wait
 * that long for a CPU.
 */
#define ANSWER_TRIES 2000

/* Copies all words except the sequence, each with a single load. */
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
 * Copies the statistics. Fails unless the sequence is even (odd if `updating`)
 * and stays the same during the copy. Pairs with selfmon_stats_begin() and
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
 * The caller holds the report lock, so only one reader runs at a time. If an
 * update does not finish, the sequence of the copy is odd. Returns false if no
 * copy could be made.
 *
 * If the calling thread itself has an unfinished update, copies it at once. A
 * jump abandoned this update, or the caller is a signal handler that
 * interrupted it, so waiting for its end would be useless.
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
 * Makes the requested copy. Called by the thread that owns the node, between
 * two updates. In a handler that interrupted an update, the request stays
 * pending. If the reader gave up meanwhile and requested another node, that
 * node is copied next.
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
