/* SPDX-License-Identifier: MIT */
/*
 * Regions in coroutines. Between the enter and the leave of such a visit the
 * coroutine may be suspended, other code runs, and another thread may resume
 * the coroutine. So the visit is no entry in a thread: it is a detached span,
 * stored in the 32 bytes of the region's frame. Visits that begin on a fiber do
 * not come here: they remain entries, which the fiber saves and restores.
 */
#include "visit/coroutine.h"

#include <stdint.h>

#include <selfmon/async.h>

#include "store/state.h"
#include "visit/visit.h"

/* Indices of the frame's reserved words. */
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
