/* SPDX-License-Identifier: MIT */
/*
 * Regions in coroutines. Between enter and leave the coroutine may be
 * suspended, so that other code runs, and it may be resumed by another thread.
 * Therefore a visit of a coroutine is not an entry of a thread: it is a
 * detached span, stored in the 32 bytes of the region's frame. Visits on a
 * fiber do not use this code: they are entries, which the fiber saves and
 * restores.
 */
#include "visit/coroutine.h"

#include <stdint.h>

#include <selfmon/async.h>

#include "store/state.h"
#include "visit/visit.h"

/* Indices in the frame's reserved words. */
enum { THREAD, START };

void selfmon_enter_coroutine(struct selfmon_site *site,
			     struct selfmon_frame *frame)
{
	struct selfmon_async_span span;
	struct selfmon_node *node;

	frame->open = NULL;
	if (site == &selfmon_impl_nowhere)
		return;
	selfmon_impl_async_begin(site, &span);
	node = span.node;
	if (!node)
		return;
	selfmon_arch_add(&node->stats->kind[SELFMON_ASYNC_COROUTINE], 1);
	frame->reserved[THREAD] = span.thread;
	frame->reserved[START] = span.start;
	frame->open = (void *)((uintptr_t)node + SELFMON_FRAME_COROUTINE);
}

void selfmon_leave_coroutine(struct selfmon_frame *frame)
{
	struct selfmon_async_span span = {
		.node = (void *)((uintptr_t)frame->open -
				 SELFMON_FRAME_COROUTINE),
		.thread = frame->reserved[THREAD],
		.start = frame->reserved[START],
	};

	frame->open = NULL;
	selfmon_impl_async_end(&span);
}
