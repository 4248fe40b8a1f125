/* SPDX-License-Identifier: MIT */
/*
 * Finds the stacks on which visits ran: the thread's own stack, or the stack of
 * a fiber. Also computes when the visits of fibers began.
 */
#ifndef SELFMON_TOOLS_TRACE_FIBERS_H
#define SELFMON_TOOLS_TRACE_FIBERS_H

#include "trace_reader.h"

/* Returns the track of the stack that runs on the ring's thread. */
struct trace_track *trace_stack_of(struct trace_reader *reader,
				   const struct trace_ring *ring);
/*
 * Records that the thread switches to a fiber, to its own stack (fiber is 0),
 * or away from the current stack (fiber is SELFMON_ENDED_NO_FIBER).
 */
void trace_take_switch(struct trace_reader *reader, struct trace_ring *ring,
		       uint64_t now, uint64_t fiber);
/*
 * Computes when the visits of fibers began. Called after the whole file is
 * read, since blocks of different threads are in any order.
 */
void trace_find_begins(struct trace_reader *reader);

#endif
