/* SPDX-License-Identifier: MIT */
/*
 * Enter and leave. The fast path, for a thread that measures time alone, is in
 * selfmon/inline.h: it takes no lock, makes no system call and allocates
 * nothing. This file compiles the fast path into functions. These functions
 * call others only as tail calls, and so need not save registers. Most other
 * cases are in user.c and any.c.
 */
#include "visit/visit.h"

#include <selfmon/inline.h>

#include "platform/hide_var.h"
#include "platform/label.h"
#include "report/exit.h"
#include "store/self.h"
#include "store/state.h"
#include "store/stats.h"
#include "visit/any.h"
#include "visit/coroutine.h"
#include "visit/ends.h"
#include "visit/leave_rare.h"
#include "visit/leave_recorded.h"
#include "visit/user.h"
#include "visit/worked.h"

/*
 * Makes the linker include report/exit.c, which has the report at exit, when a
 * program is linked with the static library. The variable is not used.
 */
static void (*const report_at_exit)(void) __attribute__((used)) =
	selfmon_report_exit;

static ALWAYS_INLINE void start_time(struct selfmon_visit *open)
{
	selfmon_store_once(&open->start.ticks, selfmon_arch_timestamp());
}

/*
 * Like enter_time(), for these cases: the child's slot in the parent has another
 * node, the function has several open visits, or the newest visit is a span. If
 * visits may be abandoned, or the place is new, calls selfmon_enter_any().
 */
static ALWAYS_INLINE void enter_beside(struct selfmon_site *site,
				       struct selfmon_frame *frame, bool span,
				       uint64_t address)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	const int same = selfmon_visit_is_above(thread->top, address)
				 ? 0
				 : selfmon_visit_same(thread, frame, address);
	struct selfmon_node *node;

	if (selfmon_unlikely(same < 0)) {
		selfmon_enter_any(site, frame, span, address);
		return;
	}
	node = selfmon_visit_child_of(thread->top->node, site);
	if (selfmon_unlikely(node->region != selfmon_load_once(&site->id))) {
		node = selfmon_visit_find(thread, site);
		if (selfmon_unlikely(!node)) {
			selfmon_enter_any(site, frame, span, address);
			return;
		}
	}
	selfmon_visit_count_same(node->stats, same);
	start_time(selfmon_visit_begin(thread, node, frame, span, address, 0));
}

static NEVER_INLINE void enter_beside_region(struct selfmon_site *site,
					     struct selfmon_frame *frame,
					     uint64_t address)
{
	enter_beside(site, frame, false, address);
}

static NEVER_INLINE void enter_beside_span(struct selfmon_site *site,
					   struct selfmon_frame *frame,
					   uint64_t address)
{
	enter_beside(site, frame, true, address);
}

/*
 * Like enter_time(), for one case: the child's slot in the parent has another
 * node. Usually the first probe of the hash table finds the child.
 */
static NEVER_INLINE void enter_child(struct selfmon_site *site,
				     struct selfmon_frame *frame,
				     uint64_t address,
				     struct selfmon_thread *thread)
{
	struct selfmon_visit *const top = thread->top;
	struct selfmon_node *const parent = top->node;
	const uint32_t id = selfmon_load_once(&site->id);
	struct selfmon_node *const node =
		selfmon_tree_probe(thread, parent, id);

	if (selfmon_unlikely(node->parent != parent || node->region != id ||
			     !selfmon_visit_is_above(top, address))) {
		enter_beside_region(site, frame, address);
		return;
	}
	*selfmon_visit_slot(parent, site) = node;
	selfmon_kind_add(node->stats, SELFMON_KIND_FOUND, 1);
	start_time(selfmon_visit_take(thread, node, frame, address, 0));
}

static ALWAYS_INLINE void enter_time(struct selfmon_site *site,
				     struct selfmon_frame *frame, bool span,
				     uint64_t address)
{
	struct selfmon_impl_thread *const thread = selfmon_thread_hot_part();

	SELFMON_HIDE_VAR(address);
	switch (selfmon_impl_try_enter(thread, site, frame, span, false,
				       address)) {
	case SELFMON_IMPL_ENTERED:
		return;
	case SELFMON_IMPL_OTHER:
		if (span)
			selfmon_enter_user_span(site, frame, address,
						(void *)thread);
		else
			selfmon_enter_user(site, frame, address,
					   (void *)thread);
		return;
	case SELFMON_IMPL_FULL:
		selfmon_enter_any(site, frame, span, address);
		return;
	case SELFMON_IMPL_CHILD:
		if (span)
			enter_beside_span(site, frame, address);
		else
			enter_child(site, frame, address, (void *)thread);
		return;
	case SELFMON_IMPL_BESIDE:
		if (span)
			enter_beside_span(site, frame, address);
		else
			enter_beside_region(site, frame, address);
		return;
	}
}

/*
 * The mark of a visit is this function's canonical frame address. It is the
 * same for all calls from one function, and higher for calls from that
 * function's callers. So a mark that is lower than this address belongs to an
 * abandoned visit. This function must not be inlined: __builtin_dwarf_cfa()
 * would then return the address of another function.
 */
NEVER_INLINE void selfmon_impl_enter(struct selfmon_site *site,
				     struct selfmon_frame *frame)
{
	enter_time(site, frame, false,
		   (uint64_t)(uintptr_t)__builtin_dwarf_cfa());
}

/*
 * Enters a region in a coroutine. On a fiber the visit belongs to the fiber,
 * and is suspended and resumed with it. The visit is then marked as a span,
 * since its stack address belongs to the code that resumed the coroutine.
 */
static NEVER_INLINE void enter_far(struct selfmon_site *site,
				   struct selfmon_frame *frame,
				   uint64_t address)
{
	const struct selfmon_thread *const thread = selfmon_thread_self();

	if (thread->fiber && thread->fiber != thread->own)
		enter_time(site, frame, true, address);
	else
		selfmon_enter_coroutine(site, frame);
}

/*
 * Enters a region in code that may be a coroutine. The caller's stack frame
 * extends from this function's frame address to `end`. A selfmon_frame that is
 * not between these addresses is in a coroutine's frame.
 */
NEVER_INLINE void selfmon_impl_enter_far(struct selfmon_site *site,
					 struct selfmon_frame *frame,
					 uintptr_t end)
{
	const uintptr_t begin = (uintptr_t)__builtin_dwarf_cfa();

	if ((uintptr_t)frame - begin < end - begin)
		enter_time(site, frame, false, begin);
	else
		enter_far(site, frame, begin);
}

NEVER_INLINE void selfmon_impl_enter_span(struct selfmon_site *site,
					  struct selfmon_frame *frame)
{
	enter_time(site, frame, true,
		   (uint64_t)(uintptr_t)__builtin_dwarf_cfa());
}

/*
 * The exported selfmon_enter(), see calls.c. Does the same as
 * selfmon_impl_enter_span(), which the inline version calls: uses its own
 * canonical frame address.
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

static bool inlined;

bool selfmon_visits_are_inlined(void)
{
	return selfmon_load_once(&inlined);
}

static ALWAYS_INLINE void note_inlined(void)
{
	if (selfmon_unlikely(!selfmon_load_once(&inlined)))
		selfmon_store_once(&inlined, true);
}

/*
 * The slow path of regions with inlined visits. The first visit of each region
 * takes this function or selfmon_impl_enter_child_at(). Both record that the
 * program has inlined visits.
 */
void selfmon_impl_enter_at(struct selfmon_site *site,
			   struct selfmon_frame *frame, uint64_t address)
{
	note_inlined();
	enter_time(site, frame, false, address);
}

/*
 * Like selfmon_impl_enter_at(), without the checks that the inlined code has
 * already made.
 */
void selfmon_impl_enter_child_at(struct selfmon_site *site,
				 struct selfmon_frame *frame, uint64_t address)
{
	note_inlined();
	enter_child(site, frame, address, selfmon_thread_self());
}

/*
 * Returns true if the visit takes the slow path only because its node counts
 * units: it is neither the longest nor the shortest so far, did not end on
 * another CPU, and is not recorded.
 */
static ALWAYS_INLINE bool is_usual_but_work(const struct selfmon_thread *thread,
					    const struct selfmon_visit *open,
					    const struct selfmon_stats *stats,
					    uint64_t ticks)
{
	return stats->work && !thread->recorder &&
	       selfmon_sums_hold(&stats->ticks, ticks) &&
	       stats->ticks.max < SELFMON_TICKS_LONG &&
	       selfmon_load_once(thread->cpu) == open->cpu;
}

/*
 * Ends a visit that is the longest so far, ended on another CPU, counted units,
 * or must be recorded.
 */
static ALWAYS_INLINE void leave_unusual(struct selfmon_thread *thread,
					struct selfmon_visit *open,
					uint64_t ticks)
{
	struct selfmon_stats *const stats = open->node->stats;

	if (ticks < selfmon_load_once(&stats->recorded) &&
	    selfmon_load_once(thread->cpu) == open->cpu)
		selfmon_leave_recorded(thread, open, ticks);
	else if (selfmon_unlikely(
			 !is_usual_but_work(thread, open, stats, ticks)))
		selfmon_leave_rare(thread, open, ticks);
	else if (!stats->work->next)
		selfmon_leave_work(open, ticks);
	else
		selfmon_leave_works(open, ticks);
}

NEVER_INLINE void selfmon_impl_leave_unusual(const struct selfmon_frame *frame,
					     uint64_t ticks)
{
	struct selfmon_visit *const open = frame->open;

	leave_unusual(open->thread, open, ticks);
}

/*
 * Does not answer a reader's request for a copy: the next enter does. Does not
 * check whether the thread is busy: enter did nothing in a busy thread, so
 * frame->open is NULL and this function is not called.
 */
void selfmon_impl_leave(struct selfmon_frame *frame)
{
	struct selfmon_impl_thread *const thread = selfmon_thread_hot_part();
	uint64_t ticks;

	switch (selfmon_impl_try_leave(thread, frame, &ticks)) {
	case SELFMON_IMPL_LEFT:
		return;
	case SELFMON_IMPL_NOT_NEWEST:
		selfmon_leave_user(frame, (void *)thread);
		return;
	case SELFMON_IMPL_UNUSUAL:
		leave_unusual((void *)thread, frame->open, ticks);
		return;
	}
}
