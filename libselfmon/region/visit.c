/* SPDX-License-Identifier: MIT */
/*
 * Enter and leave: the two ends of a visit.
 *
 * Here is the common case, a thread that measures time alone: no lock, no
 * system call, no allocation. It calls nothing, save as its last act, so that
 * it saves no registers. All else goes to visit_any.c.
 */
#include "platform/keep.h"
#include "platform/label.h"
#include "region/visit.h"

static ALWAYS_INLINE void start_time(const struct selfmon_thread *thread,
				     struct selfmon_open *open)
{
	open->cpu = selfmon_load_once(thread->cpu);
	selfmon_store_once(&open->start.ticks, selfmon_arch_timestamp());
}

/* As enter_time(), where more children than slots are below the parent. */
static NEVER_INLINE void enter_found(struct selfmon_site *site,
				     struct selfmon_frame *frame, bool span,
				     uint64_t address, int same)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_node *const node = selfmon_visit_find(thread, site);

	if (selfmon_unlikely(!node)) {
		selfmon_enter_any(site, frame, span, address);
		return;
	}
	selfmon_visit_count_same(node->stats, same);
	start_time(thread, selfmon_visit_begin(thread, node, frame, span,
					       address, 0));
}

static ALWAYS_INLINE void enter_alive(struct selfmon_site *site,
				      struct selfmon_frame *frame, bool span,
				      uint64_t address,
				      struct selfmon_thread *thread, int same)
{
	struct selfmon_open *const open = selfmon_visit_open(
		thread, site, frame, span, address, 0, same);

	if (selfmon_unlikely(!open)) {
		enter_found(site, frame, span, address, same);
		return;
	}
	start_time(thread, open);
}

static ALWAYS_INLINE void enter_beside(struct selfmon_site *site,
				       struct selfmon_frame *frame, bool span,
				       uint64_t address,
				       struct selfmon_thread *thread)
{
	const int same = selfmon_visit_same(thread, frame, address);

	if (selfmon_likely(same >= 0))
		enter_alive(site, frame, span, address, thread, same);
	else
		selfmon_enter_any(site, frame, span, address);
}

/*
 * As enter_time(), where the function has a visit open already, or others, or
 * the newest one is a span.
 */
static NEVER_INLINE void enter_same(struct selfmon_site *site,
				    struct selfmon_frame *frame,
				    uint64_t address,
				    struct selfmon_thread *thread)
{
	enter_beside(site, frame, false, address, thread);
}

static NEVER_INLINE void enter_same_span(struct selfmon_site *site,
					 struct selfmon_frame *frame,
					 uint64_t address,
					 struct selfmon_thread *thread)
{
	enter_beside(site, frame, true, address, thread);
}

static ALWAYS_INLINE void enter_time(struct selfmon_site *site,
				     struct selfmon_frame *frame, bool span,
				     uint64_t address)
{
	struct selfmon_thread *const thread = selfmon_thread_self();

	if (selfmon_unlikely(!selfmon_visit_is_ready(thread,
						     SELFMON_MODE_TIME))) {
		if (span)
			selfmon_enter_user_span(site, frame, thread, address);
		else
			selfmon_enter_user(site, frame, thread, address);
		return;
	}
	selfmon_keep(address);
	if (selfmon_unlikely(address < thread->stack_low ||
			     !selfmon_visit_is_above(thread->top, address))) {
		if (span)
			enter_same_span(site, frame, address, thread);
		else
			enter_same(site, frame, address, thread);
		return;
	}
	enter_alive(site, frame, span, address, thread, 0);
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

/*
 * The exported selfmon_enter(), see calls.c. The inline one has its caller's
 * frame; this one has to go by its own address, as selfmon_impl_enter_span().
 */
SELFMON_API void selfmon_call_enter(struct selfmon_region *handle,
				    struct selfmon_frame *frame)
	SELFMON_LABEL("selfmon_enter");

NEVER_INLINE void selfmon_call_enter(struct selfmon_region *handle,
				     struct selfmon_frame *frame)
{
	frame->open = NULL;
	if (handle && selfmon_load_once(&selfmon_impl_on))
		enter_time((struct selfmon_site *)(void *)handle, frame, true,
			   (uint64_t)(uintptr_t)__builtin_dwarf_cfa());
}

/*
 * Noted with the node, of which a thread has but one visit open at a time, so
 * that entering need not clear it. The visit's end is to come by where it is
 * looked at, without a look of its own for those that tell nothing: it finds
 * no time usual, however short.
 */
void selfmon_impl_units(enum selfmon_impl_unit unit, uint64_t n)
{
	const struct selfmon_thread *const thread = selfmon_thread_self();
	const struct selfmon_node *const node = thread->node;

	if (selfmon_unlikely(!node))
		return;
	selfmon_arch_add(&node->stats->units_open[unit], n);
	selfmon_compiler_fence();
	selfmon_store_once(&node->stats->unusual, 0);
}

/*
 * A visit longer than all before it, or that ended on another CPU, or that
 * told of its work.
 */
static NEVER_INLINE void leave_unusual(struct selfmon_thread *thread,
				       struct selfmon_frame *frame,
				       uint64_t ticks)
{
	struct selfmon_open *const open = frame->open;

	selfmon_stats_time(open->node->stats, ticks,
			   selfmon_load_once(thread->cpu) != open->cpu,
			   &open->mark);
	selfmon_visit_give_back(thread, open);
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
		selfmon_leave_user(frame, thread);
		return;
	}
	ticks = selfmon_arch_timestamp() - open->start.ticks;
	stats = open->node->stats;
	if (selfmon_unlikely(!selfmon_stats_usual(stats, ticks) ||
			     selfmon_load_once(thread->cpu) != open->cpu)) {
		leave_unusual(thread, frame, ticks);
		return;
	}
	/* Recorded first: a handler's visit of the same region comes after. */
	selfmon_stats_begin(stats);
	selfmon_visit_record(stats, ticks);
	selfmon_histogram_put(stats, selfmon_bucket_of(ticks));
	selfmon_mark_recorded(&open->mark);
	selfmon_stats_end(stats);
	selfmon_visit_give_back(thread, open);
}
