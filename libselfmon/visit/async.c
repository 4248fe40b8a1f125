/* SPDX-License-Identifier: MIT */
/*
 * Detached spans, which begin and end independently of function calls and
 * threads.
 *
 * The caller owns the span: no data of the library points to it. Its statistics
 * are in an ordinary node. In each thread all nodes of spans are children of
 * one node, which is a child of the root and belongs to no region. So copies,
 * live files and merging treat spans like regions. The thread that begins a
 * span counts it in its own node; the thread that ends it adds the time to its
 * own node. Each node keeps a single writer. Only making a node takes a lock.
 *
 * A span stores the address of the node in which it began. If the same thread
 * ends the span, this node is used without a search. In another thread the node
 * only shows which region it is, which is safe because a node's region never
 * changes and nodes are never freed. Threads are compared by id, because states
 * and the kernel's thread numbers are reused. A forked child has other ids. The
 * child never ends spans of its parent: their nodes are wiped memory in the
 * child, and the parent ends the spans.
 *
 * The fast path reads the timestamp directly. If the clock needs a call,
 * thread->async stays NULL and the span's thread word has the bit INDIRECT,
 * which keeps both ends off the fast path. Units set another bit of this word,
 * so the fast path of the end does not check for units.
 */
#include "visit/async.h"

#include <selfmon/async.h>

#include "clock/clock.h"
#include "platform/fork.h"
#include "session/thread.h"
#include "session/thread_ring.h"
#include "store/name.h"
#include "store/process.h"
#include "store/recorder.h"
#include "store/self.h"
#include "store/state.h"
#include "store/stats.h"
#include "store/tree.h"
#include "visit/longer.h"
#include "visit/unmeasured.h"
#include "visit/visit.h"

/*
 * Flag bits of a span's thread word. The other bits are the thread's id, see
 * SELFMON_THREAD_ID.
 */
#define INDIRECT UINT64_C(2)
#define MARKS (SELFMON_IMPL_ASYNC_WORK | INDIRECT)

#define NOT_NOW (SELFMON_MODE_BUSY | SELFMON_MODE_REQUEST)

_Static_assert(sizeof(struct selfmon_async_span) == 48 &&
		       _Alignof(struct selfmon_async_span) == 8,
	       "declarations in other languages say so");

/* ---- places ------------------------------------------------------------- */

/*
 * Makes the node for a thread's first span of a region. Takes the process lock.
 */
static NEVER_INLINE struct selfmon_node *
span_node_made(struct selfmon_thread *thread, uint32_t region)
{
	struct selfmon_node *root, *node = NULL;
	struct selfmon_signals signals;

	selfmon_thread_busy(thread, &signals);
	root = selfmon_tree_child(thread, thread->root, SELFMON_REGION_ASYNC);
	if (root)
		node = selfmon_tree_child(thread, root, region);
	if (root && selfmon_clock_direct())
		thread->async = root;
	selfmon_thread_idle(thread, &signals);
	return node;
}

static struct selfmon_node *span_node(struct selfmon_thread *thread,
				      uint32_t region)
{
	struct selfmon_node *const root =
		thread->async ? thread->async
			      : selfmon_tree_find(thread, thread->root,
						  SELFMON_REGION_ASYNC);
	struct selfmon_node *node;

	if (!root)
		return span_node_made(thread, region);
	node = selfmon_visit_child(root, region);
	if (node->region != region)
		node = selfmon_tree_find(thread, root, region);
	return node ? node : span_node_made(thread, region);
}

/*
 * Registers a region whose first visit is in a coroutine. Takes the process
 * lock.
 */
static NEVER_INLINE uint32_t region_registered(struct selfmon_thread *thread,
					       struct selfmon_site *site)
{
	struct selfmon_signals signals;
	uint32_t id;

	selfmon_thread_busy(thread, &signals);
	id = selfmon_name_register_site(site);
	selfmon_thread_idle(thread, &signals);
	return id;
}

bool selfmon_async_can_measure(struct selfmon_thread *thread)
{
	if (selfmon_load_once(&thread->mode) == SELFMON_MODE_NOT_READY)
		return false;
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY) {
		selfmon_visit_not_measured(thread);
		return false;
	}
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_REQUEST)
		selfmon_thread_ring_answer(thread);
	return true;
}

struct selfmon_node *selfmon_async_node(struct selfmon_thread *thread,
					uint32_t region)
{
	return region ? span_node(thread, region) : NULL;
}

/*
 * Returns the calling thread's node for a span. Returns NULL and counts the
 * span as not measured if there is no node. region is 0 if the region could not
 * be registered.
 */
static struct selfmon_node *place_of_span(struct selfmon_thread *thread,
					  uint32_t region)
{
	struct selfmon_node *const node = selfmon_async_node(thread, region);

	if (!node)
		selfmon_visit_not_measured(thread);
	return node;
}

/* ---- begin -------------------------------------------------------------- */

/* Begins a span. The caller then sets its start time. */
static ALWAYS_INLINE void begin_span(struct selfmon_async_span *span,
				     struct selfmon_node *node, uint64_t thread)
{
	span->node = node;
	span->thread = thread;
	selfmon_arch_add(&node->stats->kind[SELFMON_ASYNC_BEGUN], 1);
}

static NEVER_INLINE void begin_any(struct selfmon_site *site,
				   struct selfmon_async_span *span)
{
	struct selfmon_thread *thread = selfmon_thread_attach_async(false);
	struct selfmon_node *node;
	uint32_t region;

	span->node = NULL;
	/* A shared state: see selfmon_enter_any(). */
	if (!thread)
		thread = selfmon_thread_self();
	if (!selfmon_async_can_measure(thread))
		return;
	region = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
	if (!region)
		region = region_registered(thread, site);
	node = place_of_span(thread, region);
	if (!node)
		return;
	begin_span(span, node,
		   thread->id | (selfmon_clock_direct() ? 0 : INDIRECT));
	span->start = selfmon_clock_ticks();
}

void selfmon_impl_async_begin(struct selfmon_site *site,
			      struct selfmon_async_span *span)
{
	const struct selfmon_thread *const thread = selfmon_thread_self();
	const struct selfmon_node *const root = thread->async;
	struct selfmon_node *node;
	uint32_t id;

	if (selfmon_unlikely(!root ||
			     selfmon_arch_has(&thread->mode, NOT_NOW))) {
		begin_any(site, span);
		return;
	}
	id = selfmon_load_once(&site->id);
	node = selfmon_visit_child(root, id);
	if (selfmon_unlikely(node->region != id)) {
		begin_any(site, span);
		return;
	}
	begin_span(span, node, thread->id);
	span->start = selfmon_arch_timestamp();
}

/* ---- end ---------------------------------------------------------------- */

/*
 * Records a span that the fast path does not record, for example a new minimum
 * or maximum, or a span with units.
 */
static NEVER_INLINE void end_unusual(struct selfmon_node *node,
				     const struct selfmon_async_span *span,
				     uint64_t ticks)
{
	const bool work = span->thread & SELFMON_IMPL_ASYNC_WORK;
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_due due;

	selfmon_stats_span(node->stats, ticks, work ? span->bytes : 0,
			   work ? span->items : 0);
	if (!thread->recorder || (int64_t)ticks < 0)
		return;
	selfmon_recorder_add(thread,
			     &(struct selfmon_recorded_visit){
				     .node = node,
				     .start = span->start,
				     .end = span->start + ticks,
				     .ticks = ticks,
				     .alone = true },
			     &due);
	selfmon_longer_call(thread, &due);
}

static ALWAYS_INLINE void record_span(struct selfmon_node *node,
				      const struct selfmon_async_span *span,
				      uint64_t ticks)
{
	if (selfmon_unlikely(!selfmon_stats_add_span(node->stats, ticks)))
		end_unusual(node, span, ticks);
}

static bool is_same_process(const struct selfmon_async_span *span,
			    const struct selfmon_thread *thread)
{
	const uint32_t token = thread->id ? SELFMON_THREAD_TOKEN(thread->id)
					  : (uint32_t)selfmon_fork_token();

	return SELFMON_THREAD_TOKEN(span->thread) == token;
}

/*
 * Ends a span in the cases that the fast path does not handle: the span began
 * in another thread or before a fork, it has units, or the clock needs a call.
 */
static NEVER_INLINE void end_any(struct selfmon_async_span *span)
{
	const uint64_t now = selfmon_clock_ticks();
	struct selfmon_thread *thread = selfmon_thread_self();
	const struct selfmon_node *const began = span->node;
	struct selfmon_node *node;

	span->node = NULL;
	if (!is_same_process(span, thread)) {
		selfmon_visit_stale();
		return;
	}
	thread = selfmon_thread_attach_async(true);
	if (!thread)
		thread = selfmon_thread_self();
	if (!selfmon_async_can_measure(thread))
		return;
	node = place_of_span(thread, began->region);
	if (!node)
		return;
	if ((span->thread & ~MARKS) != thread->id)
		selfmon_arch_add(&node->stats->kind[SELFMON_ASYNC_ELSEWHERE],
				 1);
	end_unusual(node, span, now - span->start);
}

void selfmon_impl_async_end(struct selfmon_async_span *span)
{
	struct selfmon_node *node;
	uint64_t ticks;

	if (selfmon_unlikely(span->thread != selfmon_thread_self()->id)) {
		end_any(span);
		return;
	}
	ticks = selfmon_arch_timestamp() - span->start;
	node = span->node;
	span->node = NULL;
	record_span(node, span, ticks);
}
