/* SPDX-License-Identifier: MIT */
/* Reads the records of the process's threads while the threads run. */
#include "report/gather_threads.h"

#include <stdlib.h>

#include "report/gather_tree.h"
#include "session/owner.h"
#include "store/config.h"
#include "store/copy.h"
#include "store/lock.h"
#include "store/process.h"
#include "store/self.h"

/* The lock protects the name, and the thread's owner. */
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

static int add_node(struct selfmon_gather *gather,
		    struct selfmon_gather_tree *tree,
		    struct selfmon_thread *thread,
		    const struct selfmon_node *node)
{
	struct selfmon_stats copy;
	const bool read = selfmon_stats_read(thread, node, &copy);

	return selfmon_gather_node(gather, tree, node, read ? &copy : NULL,
				   read && !(copy.sequence & 1), node->sampled);
}

/*
 * Adds open visits, newest first. Races with the thread: visits that begin or
 * end meanwhile may be missed.
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
	open = selfmon_load_once(&thread->top);
	for (; !error && open > thread->open; open--)
		selfmon_gather_visit(gather, tree, open);
	return error;
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
		begin_thread(gather, &tree, process, thread);
		error = add_thread(gather, &tree, thread);
	}
	free(tree.place);
	return error ? error : selfmon_gather_end(gather);
}
