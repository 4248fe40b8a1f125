/* SPDX-License-Identifier: MIT */
/* Finds the nodes of detached spans. Frames use the same nodes. */
#ifndef SELFMON_VISIT_ASYNC_H
#define SELFMON_VISIT_ASYNC_H

#include "store/state.h"

/*
 * Returns true if the calling thread can measure, and answers a pending request
 * for a copy. Otherwise counts a span or mark that was not measured, unless
 * regions are off.
 */
bool selfmon_async_can_measure(struct selfmon_thread *thread);
/*
 * Returns the calling thread's node for spans of a region. Returns NULL if out
 * of memory, or if the region is 0. Takes the process lock to make the node.
 */
struct selfmon_node *selfmon_async_node(struct selfmon_thread *thread,
					uint32_t region);

#endif
