/* SPDX-License-Identifier: MIT */
/*
 * Enter and leave: the two ends of a visit.
 *
 * The common case, a thread that measures time alone, is enter_time() and
 * selfmon_impl_leave(): no lock, no system call, no allocation. All else goes
 * through enter_any() and leave_any(). The common case calls nothing, save as
 * its last act, so that it saves no registers.
 *
 * A signal handler may interrupt at any instruction and use regions itself.
 * Hence the order: an entry is taken (top) before it is filled in and emptied
 * (mark) before it is given back, so that a handler uses entries above it; a
 * handler leaves thread->node as it found it.
 */
#include <string.h>

#include "clock/clock.h"
#include "region/process.h"
#include "region/thread.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))

static ALWAYS_INLINE struct selfmon_open *
take(struct selfmon_thread *thread, struct selfmon_node *node,
     struct selfmon_frame *frame, uint64_t mark)
{
	struct selfmon_open *const open = thread->top + 1;

	selfmon_store_once(&thread->top, open);
	selfmon_compiler_fence();
	selfmon_store_once(&open->mark, mark);
	selfmon_store_once(&open->frame, frame);
	open->parent = thread->node;
	selfmon_store_once(&open->node, node);
	thread->node = node;
	frame->open = open;
	return open;
}

static ALWAYS_INLINE void give_back(struct selfmon_thread *thread,
				    struct selfmon_open *open)
{
	thread->node = open->parent;
	selfmon_store_once(&open->mark, SELFMON_MARK_NONE);
	selfmon_compiler_fence();
	selfmon_store_once(&thread->top, open - 1);
}

static ALWAYS_INLINE void record_time(struct selfmon_stats *stats,
				      uint64_t ticks, bool migrated)
{
	selfmon_stats_begin(stats);
	selfmon_sums_add(&stats->ticks, ticks);
	if (selfmon_unlikely(migrated))
		selfmon_arch_add(&stats->migrated, 1);
	selfmon_stats_end(stats);
	selfmon_histogram_add(stats, ticks);
}

/* Ticks that went back: timestamp counters of two CPUs that differ. */
static NEVER_INLINE void record_any_time(struct selfmon_stats *stats,
					 uint64_t ticks, bool migrated)
{
	if ((int64_t)ticks < 0) {
		selfmon_rare_add(stats, SELFMON_RARE_IMPOSSIBLE, 1);
		ticks = 0;
	}
	record_time(stats, ticks, migrated);
}

/* The child of the current node that enter remembers for this region. */
static ALWAYS_INLINE struct selfmon_node *
remembered(const struct selfmon_thread *thread, uint32_t region)
{
	return thread->node->child[region % SELFMON_CHILDREN];
}

/* ---- everything but the common case -------------------------------------- */

static void start(struct selfmon_thread *thread, struct selfmon_open *open)
{
	if (thread->set) {
		selfmon_counters_begin(thread->set, &open->start);
		return;
	}
	open->start.cpu = selfmon_load_once(thread->cpu);
	selfmon_store_once(&open->start.ticks, selfmon_clock_ticks());
}

/* One visit in N: is this one only counted? Its entry then has no start. */
static bool skips(struct selfmon_thread *thread, struct selfmon_node *node)
{
	if (thread->every <= 1)
		return false;
	if (node->countdown == 0) {
		node->countdown = thread->every - 1;
		return false;
	}
	node->countdown--;
	return true;
}

/* A region or a path for the first time: takes the process lock. */
static NEVER_INLINE struct selfmon_node *
node_made(struct selfmon_thread *thread, struct selfmon_site *site)
{
	uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
	struct selfmon_node *node = NULL;

	selfmon_thread_busy(thread);
	if (!id) {
		id = selfmon_name_register(site->name, site->file, site->line);
		__atomic_store_n(&site->id, id, __ATOMIC_RELEASE);
	}
	if (id)
		node = selfmon_tree_child(thread, thread->node, id);
	selfmon_thread_idle(thread);
	return node;
}

/* The node of a visit about to begin; NULL: it cannot be measured. */
static struct selfmon_node *node_for(struct selfmon_thread *thread,
				     struct selfmon_site *site)
{
	const uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
	struct selfmon_node *node;

	if (id) {
		node = remembered(thread, id);
		if (node->region == id)
			return node;
		node = selfmon_tree_find(thread, thread->node, id);
		if (node)
			return node;
	}
	return node_made(thread, site);
}

static void not_measured(struct selfmon_thread *thread)
{
	__atomic_add_fetch(&thread->unready, 1, __ATOMIC_RELAXED);
}

static NEVER_INLINE void enter_any(struct selfmon_site *site,
				   struct selfmon_frame *frame, bool span,
				   uint64_t address)
{
	struct selfmon_thread *const thread = selfmon_thread_attach();
	struct selfmon_open *open;
	struct selfmon_node *node;
	uint64_t mark = address;

	frame->open = NULL;
	if (!thread || site == &selfmon_impl_nowhere)
		return;
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY) {
		not_measured(thread);
		return;
	}
	if (thread->top->mark <= address)
		selfmon_unwind_dead(thread, frame, address);
	if (thread->top == thread->last && !selfmon_thread_deepen(thread)) {
		selfmon_arch_add(&thread->too_deep, 1);
		return;
	}
	node = node_for(thread, site);
	if (!node) {
		not_measured(thread);
		return;
	}
	if (span)
		mark = frame->token = SELFMON_MARK_SPAN | ++thread->token;
	open = take(thread, node, frame, mark);
	if (skips(thread, node))
		selfmon_store_once(&open->start.ticks, 0);
	else
		start(thread, open);
}

/* The visit of the entry on top ends now. */
static void finish(struct selfmon_thread *thread,
		   const struct selfmon_snapshot *now)
{
	struct selfmon_open *const open = thread->top;
	struct selfmon_delta delta;

	if (open->start.ticks == 0) {
		selfmon_rare_add(open->node->stats, SELFMON_RARE_SKIPPED, 1);
	} else if (thread->set) {
		selfmon_counters_delta(thread->set, &open->start, now, &delta);
		selfmon_stats_delta(thread, open->node->stats, &delta);
	} else if (thread->missing) {
		memset(&delta, 0, sizeof(delta));
		delta.ticks = now->ticks - open->start.ticks;
		selfmon_stats_delta(thread, open->node->stats, &delta);
	} else {
		record_any_time(open->node->stats,
				now->ticks - open->start.ticks,
				now->cpu != open->start.cpu);
	}
	give_back(thread, open);
}

static void count_stale(void)
{
	struct selfmon_process *const process = selfmon_process();

	if (process)
		__atomic_add_fetch(&process->stale, 1, __ATOMIC_RELAXED);
}

/*
 * A frame of another thread, or of the process this one was forked from: the
 * memory its entry lies in is mapped in a child, and zero there.
 */
static void leave_foreign(const struct selfmon_frame *frame, uint64_t now)
{
	struct selfmon_thread *thread;
	struct selfmon_node *node;
	uint32_t region;
	uint64_t ticks;

	if (!selfmon_unwind_foreign(frame, &region, &ticks)) {
		count_stale();
		return;
	}
	thread = selfmon_thread_attach();
	if (!thread || selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY)
		return;
	selfmon_thread_busy(thread);
	node = selfmon_tree_child(thread, &thread->root, region);
	selfmon_thread_idle(thread);
	if (!node || !ticks)
		return;
	selfmon_rare_add(node->stats, SELFMON_RARE_FOREIGN, 1);
	record_any_time(node->stats, now - ticks, false);
}

static bool is_own(const struct selfmon_thread *thread,
		   const struct selfmon_frame *frame)
{
	const struct selfmon_open *const open = frame->open;

	/* A forked child finds its state wiped: nothing is its own there. */
	return thread->top && open > thread->open && open <= thread->last;
}

static bool is_newest(const struct selfmon_thread *thread,
		      const struct selfmon_frame *frame)
{
	return thread->top == frame->open && thread->top->frame == frame;
}

static void take_end(struct selfmon_thread *thread,
		     struct selfmon_snapshot *now)
{
	if (thread->set) {
		selfmon_counters_end(thread->set, now);
		return;
	}
	now->ticks = selfmon_clock_ticks();
	now->cpu = thread->top ? selfmon_load_once(thread->cpu) : 0;
}

static NEVER_INLINE void leave_any(struct selfmon_frame *frame)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_snapshot now;

	take_end(thread, &now); /* first: all that follows is ours */
	if (!is_own(thread, frame))
		leave_foreign(frame, now.ticks);
	else if (selfmon_load_once(&thread->mode) & SELFMON_MODE_BUSY)
		not_measured(thread);
	else if (is_newest(thread, frame) || selfmon_unwind_to(thread, frame))
		finish(thread, &now);
	else
		count_stale();
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_REQUEST)
		selfmon_stats_answer(thread);
	frame->open = NULL;
}

/* ---- the common case ----------------------------------------------------- */

static ALWAYS_INLINE void start_time(struct selfmon_thread *thread,
				     struct selfmon_node *node,
				     struct selfmon_frame *frame, bool span,
				     uint64_t address)
{
	struct selfmon_open *open;
	uint64_t mark = address;

	if (span)
		mark = frame->token = SELFMON_MARK_SPAN | ++thread->token;
	open = take(thread, node, frame, mark);
	open->start.cpu = selfmon_load_once(thread->cpu);
	selfmon_store_once(&open->start.ticks, selfmon_arch_timestamp());
}

/*
 * Entries of the same function as this one, and no lower: alive unless this
 * very frame's bytes are one of theirs.
 */
static ALWAYS_INLINE bool
all_alive(const struct selfmon_thread *thread,
	  const struct selfmon_frame *frame, uint64_t address)
{
	const struct selfmon_open *open = thread->top;

	while (open->mark == address) {
		const uintptr_t apart = (uintptr_t)open->frame -
					(uintptr_t)frame +
					(sizeof(*frame) - 1);

		if (apart < 2 * sizeof(*frame) - 1)
			return false;
		open--;
	}
	return open->mark > address;
}

/* As enter_time(), where the function has a visit open already. */
static NEVER_INLINE void enter_same(struct selfmon_site *site,
				    struct selfmon_frame *frame, bool span,
				    uint64_t address)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	const uint32_t id = selfmon_load_once(&site->id);
	struct selfmon_node *const node = remembered(thread, id);

	if (selfmon_unlikely(node->region != id ||
			     !all_alive(thread, frame, address)))
		enter_any(site, frame, span, address);
	else
		start_time(thread, node, frame, span, address);
}

static ALWAYS_INLINE void enter_time(struct selfmon_site *site,
				     struct selfmon_frame *frame, bool span,
				     uint64_t address)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	const uint32_t id = selfmon_load_once(&site->id);
	struct selfmon_node *node;

	if (selfmon_unlikely(selfmon_load_once(&thread->mode) !=
				     SELFMON_MODE_TIME ||
			     thread->top == thread->last)) {
		enter_any(site, frame, span, address);
		return;
	}
	if (thread->top->mark <= address) {
		enter_same(site, frame, span, address);
		return;
	}
	node = remembered(thread, id);
	if (selfmon_unlikely(node->region != id))
		enter_any(site, frame, span, address);
	else
		start_time(thread, node, frame, span, address);
}

/*
 * The address that tells dead entries from live ones is this function's own
 * canonical frame address: for all calls out of one function it is the same,
 * and it is higher for that function's callers. Hence never inlined.
 */
NEVER_INLINE void selfmon_impl_enter(struct selfmon_site *site,
				     struct selfmon_frame *frame)
{
	enter_time(site, frame, false,
		   (uint64_t)(uintptr_t)__builtin_dwarf_cfa());
}

NEVER_INLINE void selfmon_impl_enter_span(struct selfmon_site *site,
					  struct selfmon_frame *frame)
{
	enter_time(site, frame, true,
		   (uint64_t)(uintptr_t)__builtin_dwarf_cfa());
}

void selfmon_impl_leave(struct selfmon_frame *frame)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_open *const open = frame->open;
	uint64_t ticks;

	if (selfmon_unlikely(selfmon_load_once(&thread->mode) !=
			     SELFMON_MODE_TIME)) {
		leave_any(frame);
		return;
	}
	ticks = selfmon_arch_timestamp();
	if (selfmon_unlikely(!is_newest(thread, frame))) {
		leave_any(frame);
		return;
	}
	ticks -= open->start.ticks;
	if (selfmon_unlikely(ticks >= SELFMON_TICKS_LONG)) { /* or negative */
		leave_any(frame);
		return;
	}
	/* Recorded first: a handler's visit of the same region comes after. */
	record_time(open->node->stats, ticks,
		    selfmon_load_once(thread->cpu) != open->start.cpu);
	give_back(thread, open);
	frame->open = NULL;
}
