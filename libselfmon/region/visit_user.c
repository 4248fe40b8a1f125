/* SPDX-License-Identifier: MIT */
/*
 * The two ends of a visit in a thread whose counters are all read in user
 * space.
 *
 * The start. A page is written anew only when its lock moves. So what it says
 * is kept with its lock's value, and a read is: the register, then a look
 * whether the lock is still at that value. If it is, the counter's number, the
 * offset and the times that were kept are the page's, from the time they were
 * kept until now. If not, they are kept anew, and the same code reads again.
 *
 * The value is of 32 bits and counts updates, two a time: a thread that sees
 * exactly 2^31 updates between two of its visits would be misled. At 1000
 * context switches a second that is 25 days.
 *
 * The end reads the pages as selfmon_page_read() does, the same instructions
 * whether something happened since the start or not: so that a visit with a
 * deschedule in it counts no more than one without. Where the leader's lock,
 * which moves at each deschedule, migration and reprogramming, is that of the
 * start, nothing did, and the times need not be looked at.
 */
#include <string.h>

#include "counters/set.h"
#include "region/visit.h"

/* Each number of counters has code of its own, without loops. */
#define FOR_EACH_OTHER_COUNT(what)                                             \
	what(1) what(2) what(3) what(5) what(6) what(7) what(8)
#define USUAL_COUNT 4
_Static_assert(SELFMON_MAX_COUNTERS == 8, "numbers of counters");

/*
 * A member, if its lock still has this value. The value is loaded before what
 * was kept with it: a handler that keeps anew in between makes it differ.
 */
static ALWAYS_INLINE bool read_one(const struct selfmon_set *set,
				   unsigned int i, uint32_t lock,
				   uint64_t *value)
{
	const struct selfmon_known *const known = &set->known[i];
	uint64_t raw;

	/* Elsewhere a read of what is not ours any more is just of no use. */
	if (SELFMON_ARCH_STALE_READ_FAULTS &&
	    !selfmon_arch_is(&set->head.page[i]->lock, lock))
		return false;
	selfmon_compiler_fence();
	raw = selfmon_arch_read_counter(known->counter, &set->head);
	selfmon_compiler_fence(); /* perf_event_update_userpage: 1st */
	*value = known->offset +
		 (SELFMON_ARCH_RAW_IS_CLEAN
			  ? raw ^ set->head.sign
			  : selfmon_page_extend(raw, set->head.shift[0]));
	return selfmon_likely(selfmon_arch_is(&set->head.page[i]->lock, lock));
}

static ALWAYS_INLINE uint32_t lock_of(const struct selfmon_set *set,
				      unsigned int i)
{
	return selfmon_load_once(&set->known[i].lock);
}

/* The counters in order, then the time; at the end the other way round. */
static ALWAYS_INLINE bool read_start(const struct selfmon_set *set,
				     unsigned int count,
				     struct selfmon_snapshot *start)
{
	const uint32_t lock = lock_of(set, 0);
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < count; i++)
		if (!read_one(set, i, i ? lock_of(set, i) : lock,
			      &start->value[i]))
			return false;
	/* CPU, lock, times and flags: one piece of the snapshot. */
	memcpy(&start->cpu, &set->known_times.cpu,
	       offsetof(struct selfmon_snapshot, value) -
		       offsetof(struct selfmon_snapshot, cpu));
	/* A deschedule from here on is one between start and end. */
	selfmon_store_once(&start->ticks, selfmon_arch_timestamp());
	return true;
}

static ALWAYS_INLINE bool read_member(const struct selfmon_set *set,
				      unsigned int i, uint64_t *value)
{
	const struct selfmon_counters *const head = &set->head;
	uint64_t offset, raw;

	if (selfmon_unlikely(selfmon_page_try(head->page[i], head, &offset,
					      &raw) != SELFMON_PAGE_READ))
		return false;
	*value = SELFMON_ARCH_RAW_IS_CLEAN
			 ? offset - head->sign + (raw ^ head->sign)
			 : offset + selfmon_page_extend(raw, head->shift[0]);
	return true;
}

/* What a visit came to. all: the counts' bits together, no less than any. */
struct result {
	uint64_t ticks, all;
	uint64_t count[SELFMON_MAX_COUNTERS];
	uint32_t lock; /* the leader's, meanwhile */
};

static ALWAYS_INLINE bool read_end(const struct selfmon_set *set,
				   unsigned int count,
				   const struct selfmon_snapshot *start,
				   struct result *result)
{
	const struct selfmon_page *leader = set->head.page[0];
	unsigned int i;

	result->lock = selfmon_load_once(&leader->lock);
	selfmon_compiler_fence(); /* as in selfmon_page_try() */
	result->ticks = selfmon_arch_timestamp() - start->ticks;
	result->all = 0;
#pragma GCC unroll 8
	for (i = count; i-- > 0;) {
		uint64_t value;

		if (!read_member(set, i, &value))
			return false;
		result->count[i] = value - start->value[i];
		result->all |= result->count[i];
	}
	selfmon_compiler_fence();
	/* Looked up again, as in selfmon_impl_snapshot_try(). */
	leader = selfmon_load_once(&set->head.page[0]);
	return selfmon_likely(selfmon_arch_is(&leader->lock, result->lock));
}

/* A lock moved in the middle, or a member has no counter: the long way. */
static NEVER_INLINE void leave_again(struct selfmon_open *open,
				     struct selfmon_frame *frame)
{
	const struct selfmon_page *const leader = open->thread->set->page[0];

	if (selfmon_page_owns(leader, selfmon_load_once(&leader->index)))
		selfmon_rare_add(open->node->stats, SELFMON_RARE_MOVED, 1);
	selfmon_leave_any(frame);
}

/* The snapshot behind a result; false if the lock has moved since. */
static bool rebuild_end(const struct selfmon_open *open,
			const struct result *result, unsigned int count,
			struct selfmon_snapshot *end)
{
	const struct selfmon_counters *const set = open->thread->set;
	const struct selfmon_page *const leader = set->page[0];
	const uint64_t enabled = selfmon_load_once(&leader->time_enabled);
	unsigned int i;

	*end = open->start;
	end->ticks += result->ticks;
	end->lock = result->lock;
	end->off_ns = enabled - selfmon_load_once(&leader->time_running);
	end->enabled_ns = enabled + selfmon_load_once(&leader->time_offset);
	end->cpu = selfmon_load_once(set->cpu);
	for (i = 0; i < count; i++)
		end->value[i] += result->count[i];
	selfmon_compiler_fence();
	return selfmon_load_once(&leader->lock) == result->lock;
}

/*
 * A visit of which there is something to be said: it was disturbed, is the
 * longest yet, or has a count that may not be possible.
 */
static NEVER_INLINE void leave_unusual_user(struct selfmon_open *open,
					    struct selfmon_frame *frame,
					    const struct result *result,
					    unsigned int count)
{
	struct selfmon_thread *const thread = open->thread;
	struct selfmon_snapshot end;
	struct selfmon_delta delta;

	if (selfmon_unlikely(!rebuild_end(open, result, count, &end))) {
		leave_again(open, frame);
		return;
	}
	selfmon_counters_delta(thread->set, &open->start, &end, &delta);
	selfmon_stats_delta(thread, open->node->stats, &delta, &open->mark);
	selfmon_visit_give_back(thread, open);
	frame->open = NULL;
}

static ALWAYS_INLINE void leave_counted(const struct selfmon_set *set,
					struct selfmon_open *open,
					struct selfmon_frame *frame,
					unsigned int count)
{
	struct selfmon_stats *stats;
	struct result result;
	unsigned int i;

	if (selfmon_unlikely(!read_end(set, count, &open->start, &result))) {
		leave_again(open, frame);
		return;
	}
	stats = open->node->stats;
	if (selfmon_unlikely(result.lock != open->start.lock ||
			     !selfmon_stats_usual(stats, result.ticks) ||
			     result.all > result.ticks * set->head.max_per_tick +
						  SELFMON_POSSIBLE_SLACK)) {
		leave_unusual_user(open, frame, &result, count);
		return;
	}
	selfmon_stats_begin(stats);
	selfmon_visit_record(stats, result.ticks);
#pragma GCC unroll 8
	for (i = 0; i < count; i++)
		selfmon_sums_add(&stats->counter[i], result.count[i]);
	selfmon_histogram_put(stats, selfmon_bucket_of(result.ticks));
	selfmon_mark_recorded(&open->mark);
	selfmon_stats_end(stats);
	selfmon_visit_give_back(open->thread, open);
	frame->open = NULL;
}

static NEVER_INLINE void leave_other_count(const struct selfmon_set *set,
					   struct selfmon_open *open,
					   struct selfmon_frame *frame)
{
#define LEAVE(n)                                                               \
	case n:                                                                \
		leave_counted(set, open, frame, n);                            \
		return;
	switch (set->head.count) {
		FOR_EACH_OTHER_COUNT(LEAVE)
	}
#undef LEAVE
}

void selfmon_leave_user(struct selfmon_frame *frame,
			const struct selfmon_thread *thread)
{
	struct selfmon_open *const open =
		(void *)((uintptr_t)frame->open - SELFMON_FRAME_USER);
	const struct selfmon_set *set;

	/* Another bit, or none, leads to no entry's address. */
	if (selfmon_unlikely(!selfmon_visit_is_newest(thread, open, frame))) {
		selfmon_leave_any(frame);
		return;
	}
	set = selfmon_set_of(thread->set);
	if (selfmon_likely(set->head.count == USUAL_COUNT))
		leave_counted(set, open, frame, USUAL_COUNT);
	else
		leave_other_count(set, open, frame);
}

/* A set that is read by read(2) for good has nothing to be kept. */
static void give_up_user_reads(struct selfmon_thread *thread)
{
	if (thread->set->flags & SELFMON_IMPL_SET_SYSCALL &&
	    selfmon_load_once(&thread->mode) & SELFMON_MODE_USER)
		__atomic_xor_fetch(&thread->mode,
				   SELFMON_MODE_USER | SELFMON_MODE_ANY,
				   __ATOMIC_RELAXED);
}

/*
 * Handlers wait meanwhile: one in the middle of keeping would use what was half
 * kept. False: nothing can be kept.
 */
static NEVER_INLINE bool keep_again(struct selfmon_thread *thread)
{
	struct selfmon_signals signals;
	bool kept;

	selfmon_thread_busy(thread, &signals);
	kept = selfmon_set_keep(selfmon_set_of(thread->set));
	give_up_user_reads(thread);
	selfmon_thread_idle(thread, &signals);
	return kept;
}

/*
 * What was kept is old. Where the locks never rest the visit takes the long
 * way. Its start is the last act, with nothing on the stack to be undone: what
 * comes after it would be counted.
 */
static NEVER_INLINE void start_again(struct selfmon_open *open,
				     struct selfmon_frame *frame,
				     unsigned int tries)
{
	struct selfmon_thread *const thread = open->thread;

	if (keep_again(thread) && tries > 0) {
		selfmon_start_user(open, frame, tries - 1);
		return;
	}
	frame->open = (void *)((uintptr_t)open + SELFMON_FRAME_ANY);
	selfmon_counters_begin(thread->set, &open->start);
}

static NEVER_INLINE void start_other_count(struct selfmon_open *open,
					   struct selfmon_frame *frame,
					   unsigned int tries)
{
	const struct selfmon_set *const set = selfmon_set_of(open->thread->set);

#define START(n)                                                               \
	case n:                                                                \
		if (selfmon_unlikely(!read_start(set, n, &open->start)))       \
			start_again(open, frame, tries);                       \
		return;
	switch (set->head.count) {
		FOR_EACH_OTHER_COUNT(START)
	}
#undef START
}

/* One copy for all: what runs behind a read of a counter is in the count. */
NEVER_INLINE void selfmon_start_user(struct selfmon_open *open,
				     struct selfmon_frame *frame,
				     unsigned int tries)
{
	const struct selfmon_set *const set = selfmon_set_of(open->thread->set);

	if (selfmon_unlikely(set->head.count != USUAL_COUNT))
		start_other_count(open, frame, tries);
	else if (selfmon_unlikely(!read_start(set, USUAL_COUNT, &open->start)))
		start_again(open, frame, tries);
}

void selfmon_enter_user(struct selfmon_site *site, struct selfmon_frame *frame,
			bool span, uint64_t address,
			struct selfmon_thread *thread)
{
	struct selfmon_open *open = NULL;

	if (selfmon_likely(selfmon_visit_is_ready(thread, SELFMON_MODE_USER) &&
			   address >= thread->stack_low &&
			   (thread->top->mark > address ||
			    selfmon_visit_all_alive(thread, frame, address))))
		open = selfmon_visit_open(thread, site, frame, span, address,
					  SELFMON_FRAME_USER);
	if (selfmon_unlikely(!open))
		selfmon_enter_any(site, frame, span, address);
	else
		selfmon_start_user(open, frame, SELFMON_PAGE_TRIES);
}
