/* SPDX-License-Identifier: MIT */
/*
 * The two ends of a visit in any mode: with counters, one in N, fenced, by
 * another clock; a region's or a path's first; out of order, on another
 * thread, in a forked child.
 */
#include <string.h>

#include "clock/clock.h"
#include "platform/cancel.h"
#include "region/entry.h"
#include "region/live.h"
#include "region/sample.h"
#include "region/visit.h"

/* How many visits that are too deep go by between two sweeps. */
#define TOO_DEEP_SWEEP 64

static void start_any(struct selfmon_thread *thread, struct selfmon_open *open)
{
	if (thread->set) {
		/* What was kept of the pages is in the start as well. */
		open->known.locks = SELFMON_LOCKS_UNKNOWN;
		selfmon_counters_begin(thread->set, &open->start);
		/* Else work begins while the timestamp is being read. */
		if (thread->set->flags & SELFMON_IMPL_SET_FENCE)
			selfmon_arch_fence();
		return;
	}
	open->cpu = selfmon_load_once(thread->cpu);
	selfmon_store_once(&open->start.ticks, selfmon_clock_ticks());
}

/* A region or a path for the first time: takes the process lock. */
static NEVER_INLINE struct selfmon_node *
node_made(struct selfmon_thread *thread, struct selfmon_site *site)
{
	uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
	struct selfmon_node *node = NULL;
	struct selfmon_signals signals;

	selfmon_thread_busy(thread, &signals);
	if (!id) {
		id = selfmon_name_register(site->name, site->file, site->line);
		__atomic_store_n(&site->id, id, __ATOMIC_RELEASE);
	}
	if (id)
		node = selfmon_tree_place(thread, id);
	selfmon_thread_idle(thread, &signals);
	return node;
}

/* Not in the thread's tree yet, or not to be there. */
static NEVER_INLINE struct selfmon_node *
node_not_found(struct selfmon_thread *thread, struct selfmon_site *site)
{
	const uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
	struct selfmon_node *node = NULL;

	if (id)
		node = selfmon_tree_elsewhere(thread, id);
	return node ? node : node_made(thread, site);
}

/* The node of a visit about to begin; NULL: it cannot be measured. */
static struct selfmon_node *node_for(struct selfmon_thread *thread,
				     struct selfmon_site *site)
{
	const uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
	struct selfmon_node *node;

	if (!id)
		return node_not_found(thread, site);
	node = selfmon_visit_child(thread->node, id);
	if (selfmon_likely(node->region == id))
		return node;
	node = selfmon_visit_find(thread, site);
	return node ? node : node_not_found(thread, site);
}

/* Which leave is the frame's? */
static uintptr_t tag_of(const struct selfmon_thread *thread)
{
	const uint32_t mode = selfmon_load_once(&thread->mode);

	if (mode & SELFMON_MODE_TIME)
		return 0;
	return mode & SELFMON_MODE_USER ? SELFMON_FRAME_USER
					: SELFMON_FRAME_ANY;
}

static void not_measured(struct selfmon_thread *thread)
{
	__atomic_add_fetch(&thread->unready, 1, __ATOMIC_RELAXED);
	if (thread->live)
		__atomic_add_fetch(&thread->live->unready, 1, __ATOMIC_RELAXED);
}

static void too_deep(struct selfmon_thread *thread)
{
	selfmon_arch_add(&thread->too_deep, 1);
	if (thread->live)
		selfmon_arch_add(&thread->live->too_deep, 1);
}

/* Deep recursion finds nothing to sweep out: it looks but now and then. */
static bool has_entry(struct selfmon_thread *thread, uint64_t address)
{
	if (selfmon_thread_deepen(thread))
		return true;
	if (selfmon_load_once(&thread->too_deep) % TOO_DEEP_SWEEP == 0)
		selfmon_unwind_sweep(thread, address);
	return thread->top != thread->last;
}

/*
 * Drops visits that a jump went past. Returns how many of the newest ones are
 * of the function that enters now, see selfmon_visit_same(); 0: not known.
 */
static int leave_out_dead(struct selfmon_thread *thread,
		     const struct selfmon_frame *frame, uint64_t address)
{
	int same = -1;

	if (selfmon_entry_mark(thread->top) > address)
		return 0;
	if (!(selfmon_load_once(&thread->mode) & SELFMON_MODE_STACKS))
		same = selfmon_visit_same(thread, frame, address);
	if (selfmon_likely(same >= 0))
		return same;
	selfmon_unwind_dead(thread, frame, address);
	return 0;
}

/* Measures the visit from here on, or only counts it. */
static void start(struct selfmon_thread *thread, struct selfmon_open *open)
{
	if (thread->random)
		open->inside = (struct selfmon_inside){ 0, 0 };
	if (selfmon_sample_skips(thread, open->node))
		selfmon_store_once(&open->start.ticks, 0);
	else
		start_any(thread, open);
}

NEVER_INLINE void selfmon_enter_any(struct selfmon_site *site,
				    struct selfmon_frame *frame, bool span,
				    uint64_t address)
{
	struct selfmon_thread *thread = selfmon_thread_attach();
	struct selfmon_open *open;
	struct selfmon_node *node;
	uint64_t mark = address;
	uintptr_t tag;
	bool strange;
	int same;

	frame->open = NULL;
	if (site == &selfmon_impl_nowhere)
		return;
	if (!thread) /* busy for ever if it was refused one; else off */
		thread = selfmon_thread_self();
	if (selfmon_load_once(&thread->mode) == SELFMON_MODE_NOT_READY)
		return;
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY) {
		not_measured(thread);
		return;
	}
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_REQUEST)
		selfmon_stats_answer(thread);
	strange = selfmon_unwind_strange(thread, address);
	same = leave_out_dead(thread, frame, address);
	if (thread->top == thread->last && !has_entry(thread, address)) {
		too_deep(thread);
		return;
	}
	node = node_for(thread, site);
	if (!node) {
		not_measured(thread);
		return;
	}
	if (selfmon_unlikely(strange))
		selfmon_rare_add(node->stats, SELFMON_RARE_STACK, 1);
	selfmon_visit_count_same(node->stats, same);
	if (span) {
		mark = frame->token = selfmon_visit_token(thread);
		selfmon_kind_add(node->stats, SELFMON_KIND_SPAN, 1);
	}
	/* One look at the mode: a handler's visit may give up user reads. */
	tag = tag_of(thread);
	open = selfmon_visit_take(thread, thread->node, node, frame, mark, tag);
	if (tag == SELFMON_FRAME_USER)
		selfmon_start_user(open, thread->set);
	else
		start(thread, open);
}

static void finish_counted(struct selfmon_thread *thread,
			   const struct selfmon_frame *frame,
			   const struct selfmon_snapshot *now)
{
	struct selfmon_open *const open = thread->top;
	const struct selfmon_snapshot *start = &open->start;
	struct selfmon_snapshot counts;
	struct selfmon_delta delta;

	if ((uintptr_t)frame->open & SELFMON_FRAME_USER) {
		selfmon_start_counts(open, &counts);
		start = &counts;
	}
	selfmon_counters_delta(thread->set, start, now, &delta);
	delta.moved = now->moved; /* a start read again adds nothing */
	selfmon_stats_delta(thread, open->node->stats, &delta, &open->mark);
}

/* The visit of the entry on top, which is this frame's, ends now. */
static void finish(struct selfmon_thread *thread,
		   const struct selfmon_frame *frame,
		   const struct selfmon_snapshot *now)
{
	struct selfmon_open *const open = thread->top;
	struct selfmon_stats *const stats = open->node->stats;
	const bool measured = open->start.ticks != 0;
	struct selfmon_sample_sums before;
	struct selfmon_delta delta;

	if (selfmon_unlikely(thread->random) && measured)
		selfmon_sample_look(stats, &before);
	if (!measured) {
		selfmon_mark_recorded(&open->mark);
		selfmon_stats_drop_units(stats);
		selfmon_rare_add(stats, SELFMON_RARE_SKIPPED, 1);
	} else if (thread->set) {
		finish_counted(thread, frame, now);
	} else if (thread->missing) {
		memset(&delta, 0, sizeof(delta));
		delta.ticks = now->ticks - open->start.ticks;
		selfmon_stats_delta(thread, stats, &delta, &open->mark);
	} else {
		selfmon_stats_time(stats, now->ticks - open->start.ticks,
				   now->cpu != open->cpu, &open->mark);
	}
	if (thread->random)
		selfmon_sample_end(thread, measured ? &before : NULL);
	selfmon_visit_give_back(thread, open);
}

static void count_stale(void)
{
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_live_counts *counts;

	if (process)
		__atomic_add_fetch(&process->stale, 1, __ATOMIC_RELAXED);
	counts = selfmon_live_counts(process);
	if (counts)
		__atomic_add_fetch(&counts->stale, 1, __ATOMIC_RELAXED);
}

/* Below the root: where the visit was, only its own thread's tree knows. */
static void record_at_root(struct selfmon_thread *thread, uint32_t region,
			   uint64_t begin, uint64_t now)
{
	struct selfmon_node *const node =
		selfmon_tree_child(thread, thread->root, region);

	if (!node)
		not_measured(thread);
	else if (!begin)
		selfmon_rare_add(node->stats, SELFMON_RARE_SKIPPED, 1);
	else
		selfmon_stats_foreign(node->stats, now - begin);
}

/*
 * A frame of another thread, or of the process this one was forked from: the
 * memory its entry lies in is mapped in a child, and zero there.
 */
static void record_foreign(const struct selfmon_frame *frame, uint64_t now)
{
	struct selfmon_thread *thread;
	uint32_t region;
	uint64_t ticks;

	if (!selfmon_foreign_leave(frame, &region, &ticks)) {
		count_stale();
		return;
	}
	thread = selfmon_thread_attach();
	if (!thread) {
		selfmon_thread_refused();
	} else if (selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY) {
		not_measured(thread);
	} else {
		selfmon_thread_begin_busy(thread);
		record_at_root(thread, region, ticks, now);
		selfmon_thread_end_busy(thread);
	}
}

/*
 * There is no entry here which would tell that this was cancelled, or that a
 * handler jumped out of it, once the visit is marked as left.
 */
static void leave_foreign(const struct selfmon_frame *frame, uint64_t now)
{
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;

	selfmon_cancel_off(&cancel);
	selfmon_kernel_block_signals(&signals);
	record_foreign(frame, now);
	selfmon_kernel_restore_signals(&signals);
	selfmon_cancel_restore(&cancel);
}

static bool is_own(const struct selfmon_thread *thread,
		   const struct selfmon_frame *frame)
{
	const struct selfmon_open *const open = selfmon_visit_entry(frame);

	/* A forked child finds its state wiped: nothing is its own there. */
	return thread->top && open > thread->open && open <= thread->last;
}

/* Of such a visit the end is of no use: a snapshot may be a system call. */
static bool is_only_counted(const struct selfmon_thread *thread,
			    const struct selfmon_frame *frame)
{
	const struct selfmon_open *const open = selfmon_visit_entry(frame);

	return is_own(thread, frame) &&
	       selfmon_visit_is_newest(thread, open, frame) &&
	       open->start.ticks == 0;
}

static void take_end(struct selfmon_thread *thread,
		     const struct selfmon_frame *frame,
		     struct selfmon_snapshot *now)
{
	now->ticks = 0;
	now->cpu = 0;
	now->moved = 0;
	if (thread->random && is_only_counted(thread, frame))
		return;
	if (thread->set) {
		selfmon_counters_end(thread->set, now);
		return;
	}
	now->ticks = selfmon_clock_ticks();
	now->cpu = thread->top ? selfmon_load_once(thread->cpu) : 0;
}

NEVER_INLINE void selfmon_leave_any(struct selfmon_frame *frame)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_snapshot now;

	take_end(thread, frame, &now); /* first: all that follows is ours */
	if (!is_own(thread, frame))
		leave_foreign(frame, now.ticks);
	else if (selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY)
		not_measured(thread);
	else if (selfmon_visit_is_newest(thread, selfmon_visit_entry(frame),
					 frame) ||
		 selfmon_unwind_to(thread, frame))
		finish(thread, frame, &now);
	else
		count_stale();
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_REQUEST)
		selfmon_stats_answer(thread);
}
