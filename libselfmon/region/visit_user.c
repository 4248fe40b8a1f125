/* SPDX-License-Identifier: MIT */
/*
 * The two ends of a visit in a thread whose counters are all read in user
 * space.
 *
 * A page is written anew only when its lock moves. So what the pages say is
 * kept in the entry with the sum of their locks, and a start is: the
 * registers, then a look whether the sum is still the same. If it is, the
 * counters' numbers, the offsets and the times that were kept are the pages',
 * from the time they were kept until now. If not, they are kept anew, and the
 * same code reads again.
 *
 * The end reads the registers by the numbers that the pages give now, with a
 * look at each lock before and after: by the same instructions whether
 * something happened since the start or not, so that a visit with a deschedule
 * in it counts no more than one without. Then the locks are held against those
 * of the start. If none has moved, then no event went to another counter and
 * no counter was set anew: what the registers differ by is the count. A
 * register that went past its end since, and whose interrupt is still to come,
 * is less than it was: that is more than can be, and goes the other way. There
 * the offsets that were kept and those of now make whole counts of both ends.
 */
#include "counters/set.h"
#include "region/visit.h"

/* Each number of counters has code of its own, without loops. */
#define FOR_EACH_OTHER_COUNT(what)                                             \
	what(1) what(2) what(3) what(5) what(6) what(7) what(8)
#define USUAL_COUNT 4
_Static_assert(SELFMON_MAX_COUNTERS == 8, "numbers of counters");
_Static_assert(SELFMON_MAX_COUNTERS >= 2 * USUAL_COUNT,
	       "a start has as many values that are not used");

/* Where upper bits are not 0 the difference of two would not be the count's. */
static ALWAYS_INLINE uint64_t read_register(const struct selfmon_counters *head,
					    uint32_t counter)
{
	const uint64_t raw = selfmon_arch_read_counter(counter, head);

	return SELFMON_ARCH_RAW_IS_CLEAN
		       ? raw
		       : selfmon_page_extend(raw, head->shift[0]);
}

/* By the number that the page gives now; false: it gives none. */
static ALWAYS_INLINE bool read_now(const struct selfmon_counters *head,
				   const struct selfmon_page *page,
				   uint64_t *value)
{
	const uint32_t index = selfmon_load_once(&page->index);
	uint32_t counter;

	if (selfmon_unlikely(!selfmon_arch_counter(index, &counter)))
		return false;
	/* On most machines that was all, and is known. */
	if ((SELFMON_ARCH_CAPABILITY_VARIES ||
	     SELFMON_ARCH_COUNTERS != UINT32_MAX) &&
	    !selfmon_page_owns(page, index))
		return false;
	*value = read_register(head, counter);
	return true;
}

static ALWAYS_INLINE uint32_t kept_counter(const struct selfmon_open *open,
					   unsigned int i)
{
	return i < SELFMON_KNOWN_COUNTERS
		       ? open->known.counter[i]
		       : open->rest.counter[i - SELFMON_KNOWN_COUNTERS];
}

/* The counters in order, then the time; at the end the other way round. */
static ALWAYS_INLINE bool read_start(const struct selfmon_counters *head,
				     unsigned int count,
				     struct selfmon_open *open)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < count; i++) {
		/* Elsewhere a read of what is not ours is of no use. */
		if (!SELFMON_ARCH_STALE_READ_FAULTS)
			open->start.value[i] = read_register(
				head, kept_counter(open, i));
		else if (!read_now(head, head->page[i], &open->start.value[i]))
			return false;
		selfmon_compiler_fence();
	}
	if (selfmon_unlikely(selfmon_set_locks(head, count) !=
			     open->known.locks))
		return false;
	selfmon_compiler_fence();
	/* A deschedule from here on is one between start and end. */
	selfmon_store_once(&open->start.ticks, selfmon_arch_timestamp());
	return true;
}

/* What a visit came to. all: the counts' bits together, no less than any. */
struct result {
	uint64_t ticks, all;
	uint64_t first; /* the leader's count, if no lock has moved since */
	uint64_t *rest; /* the others' */
	uint32_t locks; /* their sum, meanwhile */
};

static ALWAYS_INLINE bool read_end(const struct selfmon_counters *head,
				   unsigned int count,
				   const struct selfmon_snapshot *start,
				   struct result *result)
{
	const struct selfmon_page *page = head->page[0];
	unsigned int i;

	result->locks = selfmon_load_once(&page->lock);
	selfmon_compiler_fence(); /* as in selfmon_page_try() */
	result->ticks = selfmon_arch_timestamp() - start->ticks;
	result->all = 0;
#pragma GCC unroll 8
	for (i = count; i-- > 0;) {
		page = head->page[i];
		if (i > 0) /* the leader's is the first already */
			result->locks = selfmon_arch_plus(result->locks,
							  &page->lock);
		selfmon_compiler_fence();
		if (!read_now(head, page, &result->first))
			return false;
		result->first -= start->value[i];
		result->all |= result->first;
		if (i > 0)
			result->rest[i] = result->first;
	}
	selfmon_compiler_fence();
	/* Looked up again, as in selfmon_impl_snapshot_try(). */
	return selfmon_likely(selfmon_set_locks(head, count) == result->locks);
}

/*
 * rest: where counts wait until it is known that nothing happened; not all can
 * be in registers.
 */
static ALWAYS_INLINE void leave_counted(const struct selfmon_counters *head,
					struct selfmon_thread *thread,
					struct selfmon_open *open,
					uint64_t *rest, unsigned int count)
{
	struct result result = { .rest = rest };
	struct selfmon_stats *stats;
	unsigned int i;

	if (selfmon_unlikely(!read_end(head, count, &open->start, &result))) {
		selfmon_leave_again(open);
		return;
	}
	stats = open->node->stats;
	if (selfmon_unlikely(result.locks != open->known.locks ||
			     !selfmon_stats_usual(stats, result.ticks) ||
			     result.all > result.ticks * thread->max_per_tick +
						  SELFMON_POSSIBLE_SLACK)) {
		rest[0] = result.first;
		selfmon_leave_unusual(open, result.ticks, result.locks, rest);
		return;
	}
	selfmon_stats_begin(stats);
	selfmon_visit_record(stats, result.ticks);
	selfmon_sums_add(&stats->counter[0], result.first);
#pragma GCC unroll 8
	for (i = 1; i < count; i++)
		selfmon_sums_add(&stats->counter[i], rest[i]);
	selfmon_histogram_put(stats, selfmon_bucket_of(result.ticks));
	selfmon_mark_recorded(&open->mark);
	selfmon_stats_end(stats);
	selfmon_visit_give_back(thread, open);
}

static NEVER_INLINE void leave_other_count(const struct selfmon_counters *head,
					   struct selfmon_thread *thread,
					   struct selfmon_open *open)
{
	uint64_t rest[SELFMON_MAX_COUNTERS];

#define LEAVE(n)                                                               \
	case n:                                                                \
		leave_counted(head, thread, open, rest, n);                     \
		return;
	switch (head->count) {
		FOR_EACH_OTHER_COUNT(LEAVE)
	}
#undef LEAVE
}

void selfmon_leave_user(struct selfmon_frame *frame,
			struct selfmon_thread *thread)
{
	struct selfmon_open *const open =
		(void *)((uintptr_t)frame->open - SELFMON_FRAME_USER);
	const struct selfmon_counters *head;

	/* Another bit, or none, leads to no entry's address. */
	if (selfmon_unlikely(!selfmon_visit_is_newest(thread, open, frame))) {
		selfmon_leave_any(frame);
		return;
	}
	head = thread->set;
	if (selfmon_likely(head->count == USUAL_COUNT))
		leave_counted(head, thread, open,
			      open->start.value + USUAL_COUNT, USUAL_COUNT);
	else
		leave_other_count(head, thread, open);
}

/* A set that is read by read(2) for good has nothing to be kept. */
static void give_up_user_reads(struct selfmon_thread *thread)
{
	struct selfmon_signals signals;

	selfmon_thread_busy(thread, &signals);
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_USER)
		__atomic_xor_fetch(&thread->mode,
				   SELFMON_MODE_USER | SELFMON_MODE_ANY,
				   __ATOMIC_RELAXED);
	selfmon_thread_idle(thread, &signals);
}

/* How often the pages were kept since this entry last had a start. */
static unsigned int count_tries(struct selfmon_open *open)
{
	if (open->tried != open->start.ticks)
		open->tries = 0;
	open->tried = open->start.ticks;
	return ++open->tries;
}

/*
 * What was kept is old. Where the locks never rest the visit takes the long
 * way. Its start is the last act, with nothing on the stack to be undone: what
 * comes after it would be counted.
 */
static NEVER_INLINE void start_again(struct selfmon_open *open)
{
	struct selfmon_thread *const thread = open->thread;
	struct selfmon_frame *frame;

	if (count_tries(open) <= SELFMON_PAGE_TRIES &&
	    selfmon_set_keep(selfmon_set_of(thread->set), &open->known,
			     &open->rest, &open->start)) {
		selfmon_start_user(open, thread->set);
		return;
	}
	if ((thread->set->flags &
	     (SELFMON_IMPL_SET_SYSCALL | SELFMON_IMPL_SET_AWHILE)) ==
	    SELFMON_IMPL_SET_SYSCALL)
		give_up_user_reads(thread);
	open->known.locks = SELFMON_LOCKS_UNKNOWN;
	open->tries = 0;
	frame = (void *)(uintptr_t)open->frame;
	frame->open = (void *)((uintptr_t)open + SELFMON_FRAME_ANY);
	selfmon_counters_begin(thread->set, &open->start);
}

static NEVER_INLINE void start_other_count(struct selfmon_open *open,
					   const struct selfmon_counters *head)
{
#define START(n)                                                               \
	case n:                                                                \
		if (selfmon_unlikely(!read_start(head, n, open)))              \
			start_again(open);                                     \
		return;
	switch (head->count) {
		FOR_EACH_OTHER_COUNT(START)
	}
#undef START
}

/* One copy for all: what runs behind a read of a counter is in the count. */
NEVER_INLINE void selfmon_start_user(struct selfmon_open *open,
				     const struct selfmon_counters *head)
{
	if (selfmon_unlikely(head->count != USUAL_COUNT))
		start_other_count(open, head);
	else if (selfmon_unlikely(!read_start(head, USUAL_COUNT, open)))
		start_again(open);
}

/* As in visit.c, as are the others below. */
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
	struct selfmon_open *const open = selfmon_visit_open(
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
	if (selfmon_unlikely(!selfmon_visit_is_ready(thread,
						     SELFMON_MODE_USER)))
		selfmon_enter_any(site, frame, span, address);
	else if (selfmon_unlikely(address < thread->stack_low ||
				  !selfmon_visit_is_above(thread->top,
							  address)))
		enter_same_user(site, frame, span, address, thread);
	else
		enter_alive_user(site, frame, span, address, thread, 0);
}

void selfmon_enter_user(struct selfmon_site *site, struct selfmon_frame *frame,
			struct selfmon_thread *thread, uint64_t address)
{
	enter_user(site, frame, false, address, thread);
}

void selfmon_enter_user_span(struct selfmon_site *site,
			     struct selfmon_frame *frame,
			     struct selfmon_thread *thread, uint64_t address)
{
	enter_user(site, frame, true, address, thread);
}
