/* SPDX-License-Identifier: MIT */
/*
 * Enter and leave for threads whose counters are all read in user space.
 *
 * The kernel increments a page's lock whenever it changes the page. The entry
 * therefore caches the contents of the pages together with the sum of their
 * locks. The start reads the registers, then checks that the sum is unchanged.
 * If so, the cached counter numbers, offsets and times were valid during the
 * reads. If not, the start caches the pages again and retries.
 *
 * The end reads the same registers, then compares the locks with those of the
 * start. If no lock has changed, each event stayed on its counter and no
 * counter was reset. The difference of the registers is then the count. A
 * register that has overflowed, while its interrupt is still pending, is lower
 * than before. The difference is then impossibly large, and above the count of
 * each earlier visit.
 *
 * A visit with a context switch ends out of line (rare.c). Its registers are
 * read by the same instructions as in other visits, so its counts include no
 * additional instructions. Afterwards the counts of the start are computed with
 * the cached offsets, and the counts of the end with the current offsets. These
 * counts are valid if no event moved to another counter, and if no context
 * switch happened during the reads of the end. To detect such a switch, the end
 * stores the leader's lock before the reads.
 */
#include "visit/user.h"

#include "counters/set.h"
#include "store/self.h"
#include "store/state.h"
#include "visit/any.h"
#include "visit/rare.h"
#include "visit/registers.h"
#include "visit/user_start.h"
#include "visit/visit.h"

/* What a visit's end reads: differences to the start, and the locks. */
struct end {
	uint64_t ticks;
	uint64_t count[SELFMON_MAX_COUNTERS];
	uint32_t locks; /* sum of the locks at the end */
};

/* Reads the registers whose numbers were cached at the start. */
static ALWAYS_INLINE bool read_kept(const struct selfmon_counters *head,
				    unsigned int count,
				    struct selfmon_visit *open, struct end *end)
{
	unsigned int i;

	selfmon_store_once(&open->end_lock,
			   selfmon_load_once(&head->page[0]->lock));
	selfmon_compiler_fence(); /* as in selfmon_page_try() */
	end->ticks = selfmon_arch_timestamp() - open->start.ticks;
#pragma GCC unroll 8
	for (i = count; i-- > 0;) {
		end->count[i] = read_register(head, kept_counter(open, i)) -
				open->start.value[i];
		selfmon_compiler_fence();
	}
	/*
	 * Loads the locks after the reads, as in selfmon_impl_snapshot_try().
	 */
	end->locks = selfmon_set_locks(head, count);
	return true;
}

/*
 * For machines on which reading a counter faults if the event has left it. Uses
 * the counter numbers that are in the pages now. Loads each page's lock before
 * the read of its counter, and all locks again after the last read. Returns
 * false if a page has no counter, or if a lock changed.
 */
static ALWAYS_INLINE bool read_current(const struct selfmon_counters *head,
				       unsigned int count,
				       struct selfmon_visit *open,
				       struct end *end)
{
	const struct selfmon_page *page = head->page[0];
	unsigned int i;

	end->locks = selfmon_load_once(&page->lock);
	selfmon_compiler_fence(); /* as in selfmon_page_try() */
	end->ticks = selfmon_arch_timestamp() - open->start.ticks;
#pragma GCC unroll 8
	for (i = count; i-- > 0;) {
		page = head->page[i];
		if (i > 0) /* the leader's lock is already in the sum */
			end->locks = selfmon_arch_plus(end->locks, &page->lock);
		selfmon_compiler_fence();
		if (!read_now(head, page, &end->count[i]))
			return false;
		end->count[i] -= open->start.value[i];
	}
	selfmon_compiler_fence();
	return selfmon_likely(selfmon_set_locks(head, count) == end->locks);
}

static ALWAYS_INLINE bool read_end(const struct selfmon_counters *head,
				   unsigned int count,
				   struct selfmon_visit *open, struct end *end)
{
	return SELFMON_ARCH_STALE_READ_FAULTS
		       ? read_current(head, count, open, end)
		       : read_kept(head, count, open, end);
}

/*
 * Returns true if the time is usual, and no count is a new minimum or maximum.
 * Then no register overflowed: see the top of this file.
 */
static ALWAYS_INLINE bool is_usual(const struct selfmon_stats *stats,
				   unsigned int count, const struct end *end)
{
	unsigned int i;

	if (selfmon_unlikely(!selfmon_stats_usual(stats, end->ticks)))
		return false;
#pragma GCC unroll 8
	for (i = 0; i < count; i++)
		if (selfmon_unlikely(!selfmon_sums_hold(&stats->counter[i],
							end->count[i])))
			return false;
	return true;
}

/*
 * `rest` is memory for the counts of the slow path. The thread is loaded at the
 * end, since with four counters no register is left to keep it.
 */
static ALWAYS_INLINE void leave_counted(const struct selfmon_counters *head,
					struct selfmon_visit *open,
					uint64_t *rest, unsigned int count)
{
	struct selfmon_stats *stats;
	struct end end;
	unsigned int i;

	if (selfmon_unlikely(!read_end(head, count, open, &end))) {
		selfmon_leave_again(open);
		return;
	}
	stats = open->node->stats;
	if (selfmon_unlikely(end.locks != open->known.locks ||
			     !is_usual(stats, count, &end))) {
#pragma GCC unroll 8
		for (i = 0; i < count; i++)
			rest[i] = end.count[i];
		selfmon_leave_unusual(open, end.ticks, end.locks, rest);
		return;
	}
	selfmon_stats_begin(stats);
	selfmon_visit_record(stats, end.ticks);
#pragma GCC unroll 8
	for (i = 0; i < count; i++)
		selfmon_arch_add(&stats->counter[i].sum, end.count[i]);
	selfmon_histogram_put(stats, selfmon_bucket_of(end.ticks));
	selfmon_mark_recorded(&open->mark);
	selfmon_stats_end(stats);
	selfmon_visit_give_back(open->thread, open);
}

static NEVER_INLINE void leave_other_count(const struct selfmon_counters *head,
					   struct selfmon_visit *open)
{
	uint64_t rest[SELFMON_MAX_COUNTERS];

#define LEAVE(n)                                                               \
	case n:                                                                \
		leave_counted(head, open, rest, n);                     \
		return;
	switch (head->count) {
		FOR_EACH_OTHER_COUNT(LEAVE)
	}
#undef LEAVE
}

void selfmon_leave_user(struct selfmon_frame *frame,
			struct selfmon_thread *thread)
{
	struct selfmon_visit *const open = thread->top;
	const struct selfmon_counters *head;

	/*
	 * The thread had another mode at enter, or this is not the frame of the
	 * newest visit.
	 */
	if (selfmon_unlikely((uintptr_t)frame->open !=
				     (uintptr_t)open + SELFMON_FRAME_USER ||
			     open->frame != frame)) {
		selfmon_leave_any(frame);
		return;
	}
	head = thread->set;
	if (selfmon_likely(head->count == USUAL_COUNT))
		leave_counted(head, open, open->start.value + USUAL_COUNT,
			      USUAL_COUNT);
	else
		leave_other_count(head, open);
}

/*
 * Enters if the child's slot in the parent has another node: searches the hash
 * table.
 */
static NEVER_INLINE void enter_found_user(struct selfmon_site *site,
					  struct selfmon_frame *frame, bool span,
					  uint64_t address,
					  struct selfmon_thread *thread, int same)
{
	struct selfmon_node *const node = selfmon_visit_find(thread, site);

	if (selfmon_unlikely(!node)) {
		selfmon_enter_any(site, frame, span, address);
		return;
	}
	selfmon_visit_count_same(node->stats, same);
	selfmon_start_user(selfmon_visit_begin(thread, node, frame, span,
					       address, SELFMON_FRAME_USER),
			   thread->set);
}

static ALWAYS_INLINE void enter_alive_user(struct selfmon_site *site,
					   struct selfmon_frame *frame, bool span,
					   uint64_t address,
					   struct selfmon_thread *thread, int same)
{
	struct selfmon_visit *const open = selfmon_visit_open(
		thread, site, frame, span, address, SELFMON_FRAME_USER, same);

	if (selfmon_unlikely(!open)) {
		enter_found_user(site, frame, span, address, thread, same);
		return;
	}
	selfmon_start_user(open, thread->set);
}

static NEVER_INLINE void enter_same_user(struct selfmon_site *site,
					 struct selfmon_frame *frame, bool span,
					 uint64_t address,
					 struct selfmon_thread *thread)
{
	const int same = selfmon_visit_same(thread, frame, address);

	if (selfmon_likely(same >= 0))
		enter_alive_user(site, frame, span, address, thread, same);
	else
		selfmon_enter_any(site, frame, span, address);
}

static ALWAYS_INLINE void enter_user(struct selfmon_site *site,
				     struct selfmon_frame *frame, bool span,
				     uint64_t address,
				     struct selfmon_thread *thread)
{
	/*
	 * In SELFMON_MODE_USER the exclusive or is the lower bound of the
	 * stack. In other modes it is above all addresses.
	 */
	if (selfmon_unlikely(!selfmon_visit_has_room(thread) ||
			     address < (selfmon_load_once(&thread->low) ^
					SELFMON_LOW_USER)))
		selfmon_enter_any(site, frame, span, address);
	else if (selfmon_unlikely(
			 !selfmon_visit_is_above(thread->top, address)))
		enter_same_user(site, frame, span, address, thread);
	else
		enter_alive_user(site, frame, span, address, thread, 0);
}

void selfmon_enter_user(struct selfmon_site *site, struct selfmon_frame *frame,
			uint64_t address, struct selfmon_thread *thread)
{
	enter_user(site, frame, false, address, thread);
}

void selfmon_enter_user_span(struct selfmon_site *site,
			     struct selfmon_frame *frame, uint64_t address,
			     struct selfmon_thread *thread)
{
	enter_user(site, frame, true, address, thread);
}
