/* SPDX-License-Identifier: MIT */
/*
 * The start of a visit whose counters are all read in user space: see user.c.
 */
#include "visit/user_start.h"

#include "counters/page_cache.h"
#include "store/self.h"
#include "visit/registers.h"

/*
 * Reads the counters in order, then the time. The end reads them in reverse
 * order.
 */
static ALWAYS_INLINE bool read_start(const struct selfmon_counters *head,
				     unsigned int count,
				     struct selfmon_visit *open)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < count; i++) {
		/*
		 * If the event has left this counter, the value is wrong, and
		 * the check of the locks below discards it. On machines where
		 * such a read faults, read_now() takes the counter number from
		 * the page.
		 */
		if (!SELFMON_ARCH_STALE_READ_FAULTS)
			selfmon_arch_store_counter(kept_counter(open, i), head,
						   &open->start.value[i]);
		else if (!read_now(head, head->page[i], &open->start.value[i]))
			return false;
		selfmon_compiler_fence();
	}
	if (selfmon_unlikely(selfmon_set_locks(head, count) !=
			     open->known.locks))
		return false;
	selfmon_compiler_fence();
	/* A context switch after this store belongs to the visit. */
	selfmon_store_once(&open->start.ticks, selfmon_arch_timestamp());
	return true;
}

/* Called if the set now uses read(2). Makes the thread take the slow path. */
static void give_up_user_reads(struct selfmon_thread *thread)
{
	struct selfmon_signals signals;

	selfmon_thread_busy(thread, &signals);
	if (selfmon_load_once(&thread->mode) & SELFMON_MODE_USER)
		/* selfmon_thread_idle() then updates `low`. */
		__atomic_xor_fetch(&thread->mode,
				   SELFMON_MODE_USER | SELFMON_MODE_ANY,
				   __ATOMIC_RELAXED);
	selfmon_thread_idle(thread, &signals);
}

/*
 * Returns how often the pages were cached for this visit, including the attempt
 * that begins now.
 */
static unsigned int count_tries(struct selfmon_visit *open)
{
	if (open->tried != open->start.ticks)
		open->tries = 0;
	open->tried = open->start.ticks;
	return ++open->tries;
}

/*
 * Called if the cache is stale: renews it and tries again. If the locks keep
 * changing, the visit takes the slow path. Reading the counters must be the
 * last action of this function, with nothing on the stack to restore: later
 * code would be counted in the visit.
 */
static NEVER_INLINE void start_again(struct selfmon_visit *open)
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

static NEVER_INLINE void start_other_count(struct selfmon_visit *open,
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

/*
 * Not inlined, so that all callers share one copy: the instructions after the
 * read of a counter are counted in the visit, and are then always the same.
 */
NEVER_INLINE void selfmon_start_user(struct selfmon_visit *open,
				     const struct selfmon_counters *head)
{
	if (selfmon_unlikely(head->count != USUAL_COUNT))
		start_other_count(open, head);
	else if (selfmon_unlikely(!read_start(head, USUAL_COUNT, open)))
		start_again(open);
}
