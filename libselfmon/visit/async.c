/* SPDX-License-Identifier: MIT */
/*
 * Detached spans: the two ends of work that is not a call.
 *
 * A span is the caller's: nothing here points to it. Its statistics are those
 * of an ordinary node. The nodes of a thread's spans are below one node, which
 * is below the root and no region's. So copies, live files and merging need no
 * second form. Counts of begun spans are in the beginning thread's node, times
 * in the ending thread's: each node keeps one writer, and no lock is taken.
 *
 * A span has the address of the node where it began. On the same thread it ends
 * there, without a search. Elsewhere that node only says which region it is: a
 * node's region never changes, and nodes are never freed. Threads are compared
 * by id, since states and the kernel's numbers are reused. A forked child has
 * other ids and ends none of its parent's spans: their nodes are wiped memory
 * there, and the parent ends them.
 *
 * The fast path reads the timestamp directly. If the clock needs a call,
 * thread->async stays NULL and the span's thread is marked as INDIRECT, so that
 * neither end is on the fast path. Work marks it as well: the fast end need not
 * look at the two words.
 */
#include <selfmon/async.h>

#include "clock/clock.h"
#include "platform/fork.h"
#include "session/thread.h"
#include "store/copy.h"
#include "store/name.h"
#include "store/process.h"
#include "store/recorder.h"
#include "store/self.h"
#include "store/state.h"
#include "store/stats.h"
#include "store/tree.h"
#include "visit/unmeasured.h"
#include "visit/visit.h"

/* The bits of a span's thread that are not of the id: see SELFMON_THREAD_ID. */
#define INDIRECT UINT64_C(2)
#define MARKS (SELFMON_IMPL_ASYNC_WORK | INDIRECT)

#define NOT_NOW (SELFMON_MODE_BUSY | SELFMON_MODE_REQUEST)

_Static_assert(sizeof(struct selfmon_async_span) == 48 &&
		       _Alignof(struct selfmon_async_span) == 8,
	       "declarations in other languages say so");

/* ---- places ------------------------------------------------------------- */

/* A thread's first span of a region: takes the process lock. */
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

/* A region in a coroutine is registered by its first visit: takes the lock. */
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

/* Returns true if the calling thread can measure; counts the span if not. */
static bool can_measure(struct selfmon_thread *thread)
{
	if (selfmon_load_once(&thread->mode) == SELFMON_MODE_NOT_READY)
		return false;
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY) {
		selfmon_visit_not_measured(thread);
		return false;
	}
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_REQUEST)
		selfmon_stats_answer(thread);
	return true;
}

/*
 * Returns the place of a span in the calling thread, or NULL if the span cannot
 * be measured: then counts it as such. region 0: the region is not registered.
 */
static struct selfmon_node *place_of_span(struct selfmon_thread *thread,
					  uint32_t region)
{
	struct selfmon_node *const node =
		region ? span_node(thread, region) : NULL;

	if (!node)
		selfmon_visit_not_measured(thread);
	return node;
}

/* ---- begin -------------------------------------------------------------- */

/* Begins a span, except for its start time. */
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
	struct selfmon_thread *thread = selfmon_thread_attach_async();
	struct selfmon_node *node;
	uint32_t region;

	span->node = NULL;
	if (!thread) /* always busy if refused a state; else off */
		thread = selfmon_thread_self();
	if (!can_measure(thread))
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

/* The longest or shortest span yet, or one with work. */
static NEVER_INLINE void end_unusual(struct selfmon_node *node,
				     const struct selfmon_async_span *span,
				     uint64_t ticks)
{
	const bool work = span->thread & SELFMON_IMPL_ASYNC_WORK;
	struct selfmon_thread *const thread = selfmon_thread_self();

	selfmon_stats_span(node->stats, ticks, work ? span->bytes : 0,
			   work ? span->items : 0);
	if (thread->recorder && (int64_t)ticks >= 0)
		selfmon_recorder_add(thread, &(struct selfmon_recorded_visit){
						     .node = node,
						     .start = span->start,
						     .end = span->start + ticks,
						     .ticks = ticks,
						     .alone = true });
}

static ALWAYS_INLINE void record_span(struct selfmon_node *node,
				      const struct selfmon_async_span *span,
				      uint64_t ticks)
{
	struct selfmon_stats *const stats = node->stats;

	if (selfmon_unlikely(!selfmon_stats_usual(stats, ticks) ||
			     ticks < stats->ticks.min)) {
		end_unusual(node, span, ticks);
		return;
	}
	selfmon_arch_add(&stats->ticks.sum, ticks);
	selfmon_histogram_put(stats, selfmon_bucket_of(ticks));
	selfmon_stats_count_span(stats);
}

static bool is_same_process(const struct selfmon_async_span *span,
			    const struct selfmon_thread *thread)
{
	const uint32_t token = thread->id ? SELFMON_THREAD_TOKEN(thread->id)
					  : (uint32_t)selfmon_fork_token();

	return SELFMON_THREAD_TOKEN(span->thread) == token;
}

/*
 * A span of another thread, one with work, one by another clock, one after a
 * fork; or the first span of this thread.
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
	thread = selfmon_thread_attach_async();
	if (!thread)
		thread = selfmon_thread_self();
	if (!can_measure(thread))
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
