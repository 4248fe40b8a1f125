/* SPDX-License-Identifier: MIT */
/*
 * Enter and leave for the cases that the fast paths do not handle. Examples:
 * counters that are read by system call, SELFMON_EVERY, a fence, a clock that
 * needs a call, the first visit of a region below a parent, a leave that is out
 * of order.
 */
#include "visit/any.h"

#include <string.h>

#include "clock/clock.h"
#include "counters/snapshot.h"
#include "open/entry.h"
#include "open/evict.h"
#include "open/unwind.h"
#include "session/thread.h"
#include "session/thread_ring.h"
#include "session/thread_state.h"
#include "store/name.h"
#include "store/recorder.h"
#include "store/sample.h"
#include "store/self.h"
#include "store/state.h"
#include "store/stats.h"
#include "store/tree.h"
#include "visit/coroutine.h"
#include "visit/counts.h"
#include "visit/longer.h"
#include "visit/unmeasured.h"
#include "visit/user_start.h"
#include "visit/visit.h"

#define SWEEP_EVERY 64
/*
 * Eviction is refused if an entry has no mark, or the newest visit's statistics
 * are being updated: this code then probably runs in a signal handler that
 * interrupted an enter or a leave. A jump may have left the same. Therefore
 * each INSIST_EVERY-th call of find_room() in a row forces the eviction.
 */
#define INSIST_EVERY 8

static void start_any(struct selfmon_thread *thread, struct selfmon_visit *open)
{
	if (thread->set) {
		/* The start has counts instead of raw registers. */
		open->known.locks = SELFMON_LOCKS_UNKNOWN;
		selfmon_snapshot_own(thread->set, &open->start, false);
		/*
		 * Without the fence, the program's work could begin before the
		 * timestamp is read.
		 */
		if (thread->set->flags & SELFMON_IMPL_SET_FENCE)
			selfmon_arch_fence();
		return;
	}
	selfmon_store_once(&open->start.ticks, selfmon_clock_ticks());
}

/*
 * Makes the region's node below this parent, or in a full tree below the root.
 * If this is the region's first visit, registers the region. Takes the process
 * lock.
 */
static NEVER_INLINE struct selfmon_node *
node_made(struct selfmon_thread *thread, struct selfmon_node *parent,
	  struct selfmon_site *site)
{
	uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
	struct selfmon_node *node = NULL;
	struct selfmon_signals signals;

	selfmon_thread_busy(thread, &signals);
	if (!id)
		id = selfmon_name_register_site(site);
	if (id)
		node = selfmon_tree_place(thread, parent, id);
	selfmon_thread_idle(thread, &signals);
	return node;
}

/*
 * Called if the node was not found. If the tree is full, returns the region's
 * node directly below the root, which is made if there is none. Otherwise makes
 * the node below this parent.
 */
static NEVER_INLINE struct selfmon_node *
node_not_found(struct selfmon_thread *thread, struct selfmon_node *parent,
	       struct selfmon_site *site)
{
	const uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
	struct selfmon_node *node = NULL;

	if (id)
		node = selfmon_tree_elsewhere(thread, parent, id);
	return node ? node : node_made(thread, parent, site);
}

/*
 * Returns the node of a visit that begins. Returns NULL if the visit cannot be
 * measured.
 */
static struct selfmon_node *node_for(struct selfmon_thread *thread,
				     struct selfmon_site *site)
{
	const uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
	struct selfmon_node *const parent = selfmon_entry_place(thread);
	struct selfmon_node *node;

	if (!id)
		return node_not_found(thread, parent, site);
	node = selfmon_visit_child(parent, id);
	if (selfmon_likely(node->region == id))
		return node;
	node = selfmon_visit_find(thread, site);
	return node ? node : node_not_found(thread, parent, site);
}

/* Returns the tag of the frame, which selects the leave function. */
static uintptr_t tag_of(const struct selfmon_thread *thread)
{
	const uint32_t mode = selfmon_load_once(&thread->mode);

	if (mode & SELFMON_MODE_TIME)
		return 0;
	return mode & SELFMON_MODE_USER ? SELFMON_FRAME_USER
					: SELFMON_FRAME_ANY;
}

/*
 * Frees entries of abandoned visits (a sweep) or, if there are none, evicts
 * spans. After a sweep that freed nothing, only each SWEEP_EVERY-th call sweeps
 * first: deep recursion has no abandoned entries, and spans that are never left
 * cannot be recognised as abandoned. The other calls evict first, and sweep
 * only if selfmon_evict() returns false.
 */
static void find_room(struct selfmon_thread *thread, uint64_t address)
{
	const uint32_t times = thread->full++ % SWEEP_EVERY;
	const bool sweep = times == 0,
		   insist = times % INSIST_EVERY == INSIST_EVERY - 1;

	if (sweep)
		selfmon_unwind_sweep(thread, address);
	if (selfmon_visit_has_room(thread))
		thread->full = 0;
	else if (!selfmon_evict(thread, insist) && !sweep)
		selfmon_unwind_sweep(thread, address);
}

static bool has_entry(struct selfmon_thread *thread, uint64_t address)
{
	struct selfmon_signals signals;

	if (selfmon_thread_deepen(thread))
		return true;
	selfmon_thread_ring_hold(thread, &signals);
	find_room(thread, address);
	selfmon_thread_ring_release(thread, &signals);
	return selfmon_visit_has_room(thread);
}

/*
 * Drops visits that a jump abandoned. Returns how many of the newest visits
 * belong to the function that enters now, see selfmon_visit_same(), or 0 if
 * this is unknown.
 */
static int leave_out_abandoned(struct selfmon_thread *thread,
			       const struct selfmon_frame *frame,
			       uint64_t address)
{
	struct selfmon_signals signals;
	int same = -1;

	if (selfmon_entry_is_open(thread->top) &&
	    selfmon_entry_mark(thread->top) > address)
		return 0;
	if (!(selfmon_load_once(&thread->mode) & SELFMON_MODE_STACKS))
		same = selfmon_visit_same(thread, frame, address);
	if (selfmon_likely(same >= 0))
		return same;
	selfmon_thread_ring_hold(thread, &signals);
	selfmon_unwind_abandoned(thread, frame, address);
	selfmon_thread_ring_release(thread, &signals);
	return 0;
}

/* A start of 0 ticks marks a visit that is only counted. */
static void start(struct selfmon_thread *thread, struct selfmon_visit *open)
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
	struct selfmon_visit *open;
	struct selfmon_node *node;
	uint64_t mark = address;
	uintptr_t tag;
	bool strange;
	int same;

	frame->open = NULL;
	if (site == &selfmon_impl_nowhere)
		return;
	if (thread && selfmon_load_once(&thread->switching)) {
		selfmon_visit_not_measured(thread);
		return;
	}
	/*
	 * A thread without a state uses one of two shared states. One is always
	 * busy, for threads that were refused a state. The other is not ready,
	 * for regions that are off.
	 */
	if (!thread)
		thread = selfmon_thread_self();
	if (!(selfmon_load_once(&thread->mode) & ~SELFMON_MODE_ASYNC))
		return;
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY) {
		selfmon_visit_not_measured(thread);
		return;
	}
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_REQUEST) {
		selfmon_thread_ring_answer(thread);
	} else if (selfmon_load_once(&thread->low) !=
		   selfmon_thread_low(thread,
				      selfmon_load_once(&thread->mode))) {
		/*
		 * A reader set `low` for a request that it has withdrawn, or
		 * that was answered before: restore `low`.
		 */
		selfmon_thread_gate(thread);
	}
	strange = selfmon_unwind_strange(thread, address);
	same = leave_out_abandoned(thread, frame, address);
	if (!selfmon_visit_has_room(thread) && !has_entry(thread, address)) {
		selfmon_arch_add(&thread->record->too_deep, 1);
		return;
	}
	node = node_for(thread, site);
	if (!node) {
		selfmon_visit_not_measured(thread);
		return;
	}
	if (selfmon_unlikely(strange))
		selfmon_rare_add(node->stats, SELFMON_RARE_STACK, 1);
	selfmon_visit_count_same(node->stats, same);
	if (span) {
		mark = SELFMON_MARK_SPAN;
		selfmon_kind_add(node->stats, SELFMON_KIND_SPAN, 1);
	}
	/*
	 * From here on, a visit in a signal handler may switch the thread to
	 * read(2), because the guard caught a fault. The tag stays valid: the
	 * guard has replaced the pages, so both ends of this visit find no
	 * counter and use read(2). known.locks shows whether the start has raw
	 * registers, and each leave function checks it.
	 */
	tag = tag_of(thread);
	open = selfmon_visit_take(thread, node, frame, mark, tag);
	if (tag == SELFMON_FRAME_USER)
		selfmon_start_user(open, thread->set);
	else
		start(thread, open);
}

static void finish_counted(struct selfmon_thread *thread,
			   const struct selfmon_snapshot *now,
			   struct selfmon_delta *delta)
{
	struct selfmon_visit *const open = thread->top;
	const struct selfmon_snapshot *start = &open->start;
	struct selfmon_snapshot counts;

	if (open->known.locks != SELFMON_LOCKS_UNKNOWN) {
		selfmon_start_counts(open, &counts);
		start = &counts;
	} else if (!thread->recorder &&
		   selfmon_stats_counts(thread, open->node->stats, start, now,
					&open->mark)) {
		return;
	}
	selfmon_counters_delta(thread->set, start, now, delta);
	delta->moved = now->moved; /* retries at the start do not count */
	selfmon_stats_delta(thread, open->node->stats, delta, &open->mark);
}

/*
 * Reads the thread's ring if it has new records. In a thread with a ring, the
 * `cpu` values of the start and of *now are positions of the ring's head.
 * Changes now->cpu so that it differs from the start's value only if the visit
 * ended on another CPU. Subtracts the cost of samples from the time.
 */
static void read_ring_at_end(struct selfmon_thread *thread,
			  struct selfmon_snapshot *now)
{
	const struct selfmon_visit *const open = thread->top;
	const uint32_t begin = thread->set ? open->start.cpu : open->cpu;

	const uint64_t start = open->start.ticks;
	struct selfmon_ring_end end;

	if (now->cpu == begin)
		return;
	end = selfmon_thread_ring_read(thread, now->ticks - start);
	now->cpu = begin + end.moved;
	now->ticks = start + end.ticks;
}

/*
 * Ends the newest visit of a thread that records its visits. delta is NULL if
 * the thread measures time alone.
 */
static NEVER_INLINE void finish_recorded(struct selfmon_thread *thread,
					 const struct selfmon_snapshot *now,
					 const struct selfmon_delta *delta)
{
	struct selfmon_visit *const open = thread->top;
	struct selfmon_due due;

	if (delta)
		selfmon_recorder_delta(thread, open, delta, &due);
	else
		selfmon_recorder_time(thread, open, now->ticks,
				      now->ticks - open->start.ticks,
				      now->cpu != open->cpu, &due);
	selfmon_visit_give_back(thread, open);
	selfmon_longer_call(thread, &due);
}

static void finish_skipped(struct selfmon_thread *thread)
{
	struct selfmon_visit *const open = thread->top;
	struct selfmon_stats *const stats = open->node->stats;

	selfmon_mark_recorded(&open->mark);
	selfmon_stats_drop_units(stats);
	selfmon_rare_add(stats, SELFMON_RARE_SKIPPED, 1);
	if (thread->random)
		selfmon_sample_end(thread, NULL);
	selfmon_visit_give_back(thread, open);
}

static void finish(struct selfmon_thread *thread, struct selfmon_snapshot *now)
{
	struct selfmon_visit *const open = thread->top;
	struct selfmon_stats *const stats = open->node->stats;
	struct selfmon_delta delta, *values = NULL;
	struct selfmon_sample_sums before;

	if (selfmon_unlikely(selfmon_thread_ring_on(thread)))
		read_ring_at_end(thread, now);
	if (!open->start.ticks) {
		finish_skipped(thread);
		return;
	}
	if (selfmon_unlikely(thread->random))
		selfmon_sample_look(stats, &before);
	if (thread->set) {
		values = &delta;
		finish_counted(thread, now, values);
	} else if (thread->missing) {
		values = &delta;
		memset(values, 0, sizeof(*values));
		values->ticks = now->ticks - open->start.ticks;
		selfmon_stats_delta(thread, stats, values, &open->mark);
	} else {
		selfmon_stats_time(stats, now->ticks - open->start.ticks,
				   now->cpu != open->cpu, &open->mark);
	}
	if (thread->random)
		selfmon_sample_end(thread, &before);
	if (selfmon_unlikely(thread->recorder != NULL))
		finish_recorded(thread, now, values);
	else
		selfmon_visit_give_back(thread, open);
}

/*
 * Returns true if the frame's entry may belong to the calling thread. A forked
 * child's state is wiped, so no entry belongs to the child. A frame of a fiber
 * may point to the entry that its visit had in another thread, so a thread with
 * fibers accepts every frame.
 */
static bool is_own(const struct selfmon_thread *thread,
		   const struct selfmon_frame *frame)
{
	const struct selfmon_visit *const open = selfmon_visit_entry(frame);

	return thread->top &&
	       (thread->fiber || (open > thread->open &&
				  open <= thread->last + SELFMON_DEPTH_SLACK));
}

/*
 * Returns true if the end snapshot is not needed, because the visit is only
 * counted: the snapshot may be a system call.
 */
static bool is_only_counted(const struct selfmon_thread *thread,
			    const struct selfmon_frame *frame)
{
	const struct selfmon_visit *const open = selfmon_visit_entry(frame);

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
		selfmon_snapshot_own(thread->set, now, true);
		return;
	}
	now->ticks = selfmon_clock_ticks();
	now->cpu = thread->top ? selfmon_load_once(thread->cpu) : 0;
}

/*
 * Makes the frame's visit the newest one. Returns false if the visit has
 * already ended.
 */
static bool is_newest(struct selfmon_thread *thread,
		      const struct selfmon_frame *frame)
{
	const struct selfmon_visit *const first = selfmon_visit_entry(frame);
	struct selfmon_signals signals;
	bool found;

	if (selfmon_visit_is_newest(thread, first, frame))
		return true;
	selfmon_thread_ring_hold(thread, &signals);
	found = selfmon_unwind_to(thread, frame);
	selfmon_thread_ring_release(thread, &signals);
	if (!found)
		return false;
	selfmon_evict_start(thread, first);
	return true;
}

NEVER_INLINE void selfmon_leave_any(struct selfmon_frame *frame)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_snapshot now;

	if (((uintptr_t)frame->open & SELFMON_FRAME_COROUTINE) ==
	    SELFMON_FRAME_COROUTINE) {
		selfmon_leave_coroutine(frame);
		return;
	}
	/* Read the end first: everything after it is overhead. */
	take_end(thread, frame, &now);
	if (!is_own(thread, frame))
		/*
		 * The visit belongs to another thread, or began before fork(2).
		 */
		selfmon_visit_stale();
	else if (selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY)
		selfmon_visit_not_measured(thread);
	else if (is_newest(thread, frame))
		finish(thread, &now);
	else
		selfmon_visit_stale();
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_REQUEST)
		selfmon_thread_ring_answer(thread);
}
