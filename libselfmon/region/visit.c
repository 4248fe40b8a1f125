/* SPDX-License-Identifier: MIT */
/*
 * Enter and leave: the two ends of a visit.
 *
 * Here is the common case, a thread that measures time alone: no lock, no
 * system call, no allocation. It calls nothing, save as its last act, so that
 * it saves no registers. All else goes to visit_any.c.
 */
#include "region/visit.h"

static ALWAYS_INLINE void start_time(struct selfmon_thread *thread,
				     struct selfmon_node *parent,
				     struct selfmon_node *node,
				     struct selfmon_frame *frame, bool span,
				     uint64_t address)
{
	struct selfmon_open *open;
	uint64_t mark = address;

	if (span)
		mark = frame->token = SELFMON_MARK_SPAN | ++thread->token;
	open = selfmon_visit_take(thread, parent, node, frame, mark);
	open->start.cpu = selfmon_load_once(thread->cpu);
	selfmon_store_once(&open->start.ticks, selfmon_arch_timestamp());
}

/*
 * Entries of the same function as this one, and no lower: alive unless this
 * very frame's bytes are one of theirs.
 */
static ALWAYS_INLINE bool all_alive(const struct selfmon_thread *thread,
				    const struct selfmon_frame *frame,
				    uint64_t address)
{
	const struct selfmon_open *open = thread->top;

	while (open->mark == address) {
		const uintptr_t apart = (uintptr_t)open->frame -
					(uintptr_t)frame + (sizeof(*frame) - 1);

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
	struct selfmon_node *const parent = thread->node;
	struct selfmon_node *const node = selfmon_visit_child(parent, id);

	if (selfmon_unlikely(node->region != id ||
			     !all_alive(thread, frame, address)))
		selfmon_enter_any(site, frame, span, address);
	else
		start_time(thread, parent, node, frame, span, address);
}

static ALWAYS_INLINE void enter_time(struct selfmon_site *site,
				     struct selfmon_frame *frame, bool span,
				     uint64_t address)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	const uint32_t id = selfmon_load_once(&site->id);
	struct selfmon_node *parent, *node;

	if (selfmon_unlikely(selfmon_load_once(&thread->mode) !=
				     SELFMON_MODE_TIME ||
			     thread->top == thread->last)) {
		selfmon_enter_any(site, frame, span, address);
		return;
	}
	if (thread->top->mark <= address) {
		enter_same(site, frame, span, address);
		return;
	}
	parent = thread->node;
	node = selfmon_visit_child(parent, id);
	if (selfmon_unlikely(node->region != id))
		selfmon_enter_any(site, frame, span, address);
	else
		start_time(thread, parent, node, frame, span, address);
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

static ALWAYS_INLINE void record(struct selfmon_stats *stats, uint64_t ticks)
{
	selfmon_stats_begin(stats);
	selfmon_arch_add(&stats->ticks.sum, ticks);
	if (selfmon_unlikely(ticks < stats->ticks.min))
		selfmon_store_once(&stats->ticks.min, ticks);
	selfmon_stats_end(stats);
	selfmon_histogram_put(stats, selfmon_bucket_of(ticks));
}

/* A visit longer than all before it, or that ended on another CPU. */
static NEVER_INLINE void leave_unusual(struct selfmon_thread *thread,
				       struct selfmon_frame *frame,
				       uint64_t ticks)
{
	struct selfmon_open *const open = frame->open;

	selfmon_stats_time(open->node->stats, ticks,
			   selfmon_load_once(thread->cpu) != open->start.cpu);
	selfmon_visit_give_back(thread, open);
	frame->open = NULL;
}

/*
 * The mode is not looked at. A frame whose entry is this thread's newest, and
 * bears no SELFMON_FRAME_ANY, was entered by this thread as one that measures
 * time alone, and that does not change while it lives. A thread that is busy
 * has no such frame to leave: its handlers' enters were refused. A reader that
 * waits for a copy has it from the next enter.
 */
void selfmon_impl_leave(struct selfmon_frame *frame)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_open *const open = frame->open;
	struct selfmon_stats *stats;
	uint64_t ticks;

	if (selfmon_unlikely(!selfmon_visit_is_newest(thread, open, frame))) {
		selfmon_leave_any(frame);
		return;
	}
	ticks = selfmon_arch_timestamp() - open->start.ticks;
	stats = open->node->stats;
	if (selfmon_unlikely(ticks > stats->usual || /* or negative */
			     selfmon_load_once(thread->cpu) !=
				     open->start.cpu)) {
		leave_unusual(thread, frame, ticks);
		return;
	}
	/* Recorded first: a handler's visit of the same region comes after. */
	record(stats, ticks);
	selfmon_visit_give_back(thread, open);
	frame->open = NULL;
}
