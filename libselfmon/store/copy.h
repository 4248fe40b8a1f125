/* SPDX-License-Identifier: MIT */
/* Makes a consistent copy of a node's statistics, from any thread. */
#ifndef SELFMON_STORE_COPY_H
#define SELFMON_STORE_COPY_H

#include "store/state.h"

/*
 * selfmon_stats_read() copies the statistics of a node of `thread`, for a
 * reader. selfmon_stats_answer() makes the copy that a reader has requested;
 * the thread that owns the node calls it. See copy.c.
 */
bool selfmon_stats_read(struct selfmon_thread *thread,
			const struct selfmon_node *node,
			struct selfmon_stats *copy);
void selfmon_stats_answer(struct selfmon_thread *thread);

#endif
