/* SPDX-License-Identifier: MIT */
#include "report/gather_threads.h"

#include <stdlib.h>

#include "report/gather_samples.h"
#include "report/gather_tree.h"
#include "report/gather_units.h"
#include "session/owner.h"
#include "session/thread_ring.h"
#include "store/config.h"
#include "store/copy.h"
#include "store/lock.h"
#include "store/process.h"
#include "store/self.h"

/*
 * Begins a thread's tree. The process lock protects the name and the owner of
 * the thread, which are read only for rows by thread.
 */
static void begin_thread(struct selfmon_gather *gather,
			 struct selfmon_gather_tree *tree,
			 struct selfmon_process *process,
			 struct selfmon_thread *thread)
{
	if (gather->apart) {
		selfmon_process_lock(process);
		selfmon_thread_look_up_name(process, thread);
	}
	selfmon_gather_begin(gather, tree, thread->record);
	if (gather->apart)
		selfmon_process_unlock(process);
}

/* Copies word by word, since the thread may write at the same time. */
static void copy_work(const struct selfmon_work *from, struct selfmon_work *to)
{
	typedef uint64_t word __attribute__((may_alias));
	const word *const in = (const word *)(const void *)from;
	word *const out = (word *)(void *)to;
	size_t i;

	for (i = 0; i < sizeof(*to) / sizeof(*out); i++)
		out[i] = selfmon_load_once(&in[i]);
}

static int add_works(struct selfmon_gather *gather,
		     const struct selfmon_gather_tree *tree,
		     const struct selfmon_node *node)
{
	const struct selfmon_work *work =
		__atomic_load_n(&node->stats->work, __ATOMIC_ACQUIRE);
	struct selfmon_work copy;
	int error = 0;

	for (; work && !error; work = work->next) {
		copy_work(work, &copy);
		error = selfmon_gather_work(gather, tree, &copy);
	}
	return error;
}

static int add_node(struct selfmon_gather *gather,
		    struct selfmon_gather_tree *tree,
		    struct selfmon_thread *thread,
		    const struct selfmon_node *node)
{
	struct selfmon_stats copy;
	const bool read = selfmon_stats_read(thread, node, &copy);

	struct selfmon_ring_sums sums = { 0 };
	const int error = selfmon_gather_node(
		gather, tree, node, read ? &copy : NULL,
		read && !(copy.sequence & 1), node->sampled);

	if (!error && __atomic_load_n(&thread->ring, __ATOMIC_ACQUIRE)) {
		selfmon_ring_sums_read(thread, node->ordinal, &sums);
		selfmon_gather_ring(gather, tree, node->ordinal, &sums);
	}
	return error || !read ? error : add_works(gather, tree, node);
}

/*
 * Adds the nodes, the samples and the open visits of a thread; the newest open
 * visit comes first. The thread keeps running: visits that begin or end
 * meanwhile may be missed.
 */
static int add_thread(struct selfmon_gather *gather,
		      struct selfmon_gather_tree *tree,
		      struct selfmon_thread *thread)
{
	const struct selfmon_node *node = thread->root;
	const struct selfmon_visit *open;
	int error = 0;

	while (!error && node) {
		error = add_node(gather, tree, thread, node);
		node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE);
	}
	if (!error)
		error = selfmon_gather_samples(gather, tree, thread);
	open = selfmon_load_once(&thread->top);
	for (; !error && open > thread->open; open--)
		selfmon_gather_visit(gather, tree, open);
	return error;
}

/*
 * Reads the thread's ring, so that the records so far are added to the thread's
 * open visits. Does not read a ring that only its own thread may read: see
 * selfmon_thread_ring_read_other().
 */
static void look_at_ring(struct selfmon_thread *thread)
{
	if (thread != selfmon_thread_self())
		selfmon_thread_ring_read_other(thread);
	else if (selfmon_thread_ring_on(thread))
		selfmon_thread_ring_read(thread, UINT64_MAX);
}

int selfmon_gather_threads(struct selfmon_gather *gather,
			   struct selfmon_process *process)
{
	struct selfmon_thread *thread =
		__atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	struct selfmon_gather_tree tree = { .places = 0 };
	int error = 0;

	gather->every = selfmon_config()->every > 1;
	if (gather->apart)
		gather->apart->gather.every = gather->every;
	gather->unready += selfmon_thread_unready();
	for (; thread && !error; thread = thread->next) {
		look_at_ring(thread);
		begin_thread(gather, &tree, process, thread);
		error = add_thread(gather, &tree, thread);
	}
	free(tree.place);
	return error ? error : selfmon_gather_end(gather);
}
