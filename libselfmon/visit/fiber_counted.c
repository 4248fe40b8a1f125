/* SPDX-License-Identifier: MIT */
/*
 * A switch of fibers in a thread that counts up to four events: takes two
 * snapshots, and handles each visit by code without loops.
 *
 * The start of a suspended visit is stored relative to the snapshot at its
 * suspension; another snapshot is added when it is resumed. Both steps process
 * two words with one vector instruction: entries and suspended visits have the
 * same layout.
 */
#include "visit/fiber_counted.h"

#include <string.h>

#include "counters/snapshot.h"
#include "visit/fiber_any.h"
#include "visit/fiber_counts.h"
#include "visit/fiber_stack.h"

/*
 * Two consecutive words of a snapshot: two values, or two of the four words
 * that begin with the member cpu.
 */
typedef uint64_t counted_pair
	__attribute__((vector_size(16), aligned(8), may_alias));

#define PAIRS 4
_Static_assert(SELFMON_FIBER_VALUES == 4, "two pairs of values");

struct counted_words {
	counted_pair pair[PAIRS];
};

_Static_assert(offsetof(struct selfmon_snapshot, lock) ==
			       offsetof(struct selfmon_snapshot, cpu) + 4 &&
		       offsetof(struct selfmon_snapshot, off_ns) ==
			       offsetof(struct selfmon_snapshot, cpu) + 8 &&
		       offsetof(struct selfmon_snapshot, enabled_ns) ==
			       offsetof(struct selfmon_snapshot, cpu) + 16 &&
		       offsetof(struct selfmon_snapshot, flags) ==
			       offsetof(struct selfmon_snapshot, cpu) + 24,
	       "two pairs follow the values");

static ALWAYS_INLINE counted_pair *pair_of(struct selfmon_snapshot *snapshot,
					   unsigned int i)
{
	return (counted_pair *)(void *)(i < 2 ? &snapshot->value[2 * i]
					      : (uint64_t *)(void *)
							&snapshot->cpu +
							2 * (i - 2));
}

static ALWAYS_INLINE const counted_pair *
pair_in(const struct selfmon_snapshot *snapshot, unsigned int i)
{
	return pair_of((struct selfmon_snapshot *)(uintptr_t)snapshot, i);
}

/*
 * Returns the snapshot with CPU and flags set to 0, since these must not be
 * added.
 */
static ALWAYS_INLINE struct counted_words
sums_of(const struct selfmon_snapshot *now)
{
	struct counted_words sums;

	sums.pair[0] = *pair_in(now, 0);
	sums.pair[1] = *pair_in(now, 1);
	sums.pair[2] = *pair_in(now, 2) &
		       (counted_pair){ ~(uint64_t)UINT32_MAX, UINT64_MAX };
	sums.pair[3] = *pair_in(now, 3) & (counted_pair){ UINT64_MAX, 0 };
	return sums;
}

/*
 * Reads a set of SELFMON_FIBER_VALUES counters in user space. Unrolled,
 * this takes 12 instructions less. Returns false if a lock changed meanwhile,
 * or if an event has no counter.
 */
static ALWAYS_INLINE bool snapshot_four(const struct selfmon_counters *set,
					struct selfmon_snapshot *now, bool end)
{
	const struct selfmon_page *const leader =
		selfmon_impl_snapshot_begin(set, now, end);
	unsigned int i;

#pragma GCC unroll 4
	for (i = 0; i < SELFMON_FIBER_VALUES; i++)
		if (selfmon_unlikely(selfmon_impl_snapshot_member(
					     set, now,
					     end ? SELFMON_FIBER_VALUES - 1 - i
						 : i) != SELFMON_PAGE_READ))
			return false;
	now->flags = 0;
	return selfmon_impl_snapshot_end(set, leader, now, end) ==
	       SELFMON_PAGE_READ;
}

/* Like selfmon_counters_begin() and _end(), for the thread's own set. */
static ALWAYS_INLINE void snapshot_own(const struct selfmon_counters *set,
				       struct selfmon_snapshot *now, bool end)
{
	if (set->flags & SELFMON_IMPL_SET_SLOW)
		selfmon_impl_snapshot_slow(set, now, end);
	else if (selfmon_unlikely(set->hardware_count != SELFMON_FIBER_VALUES ||
				  !snapshot_four(set, now, end)))
		selfmon_snapshot_take(set, now, end);
}

/*
 * Handles what pairs cannot: flags, times of two kinds (fiber_counts.c), and
 * starts that are raw registers.
 */
__attribute__((cold))
static NEVER_INLINE void keep_apart(const struct selfmon_thread *thread,
				    struct selfmon_fiber *from,
				    const struct selfmon_snapshot *now,
				    unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		selfmon_fiber_keep_counts(thread->set, thread->open + 1 + i,
					  now, &from->visit[i]);
}

static ALWAYS_INLINE bool keep_counted(const struct selfmon_thread *thread,
				       struct selfmon_fiber *from,
				       const struct selfmon_snapshot *now,
				       const unsigned int n)
{
	const struct selfmon_visit *const open = thread->open + 1;
	const struct counted_words sums = sums_of(now);
	struct selfmon_node *node[SELFMON_FIBER_VISITS];
	uint32_t known = SELFMON_LOCKS_UNKNOWN, flags = now->flags;
	unsigned int i, k;

	if (selfmon_unlikely(!selfmon_fiber_may_keep(open, node, n)))
		return false;
#pragma GCC unroll 3
	for (i = 0; i < n; i++) {
		struct selfmon_suspended *const kept = &from->visit[i];

		selfmon_fiber_keep_line(open + i, node[i], kept, false);
#pragma GCC unroll 4
		for (k = 0; k < PAIRS; k++)
			*pair_of(&kept->start, k) =
				*pair_in(&open[i].start, k) - sums.pair[k];
		known &= open[i].known.locks;
		flags |= open[i].start.flags;
	}
	if (selfmon_unlikely(!known || flags))
		keep_apart(thread, from, now, n);
	from->since = now->ticks;
	selfmon_compiler_fence();
	selfmon_store_once(&from->count, n);
	return true;
}

static ALWAYS_INLINE bool keep_any(const struct selfmon_thread *thread,
				   struct selfmon_fiber *from,
				   const struct selfmon_snapshot *now,
				   size_t used)
{
	if (selfmon_likely(used == SELFMON_FIBER_ENTRIES(2)))
		return keep_counted(thread, from, now, 2);
	if (used == SELFMON_FIBER_ENTRIES(3))
		return keep_counted(thread, from, now, 3);
	if (used == SELFMON_FIBER_ENTRIES(1))
		return keep_counted(thread, from, now, 1);
	return used == 0 && keep_counted(thread, from, now, 0);
}

/*
 * Starts visits that pairs cannot handle: visits with flags, or with times of
 * two kinds (fiber_counts.c).
 */
__attribute__((cold))
static NEVER_INLINE void start_apart(struct selfmon_visit *open,
				     struct selfmon_fiber *fiber,
				     const struct selfmon_snapshot *now,
				     unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		selfmon_fiber_resume_counts(open->thread->set, open + i, now,
					    &fiber->visit[i], fiber->since);
}

static ALWAYS_INLINE void start_counted(struct selfmon_visit *open,
					struct selfmon_fiber *fiber,
					const struct selfmon_snapshot *now,
					const unsigned int n)
{
	const struct counted_words sums = sums_of(now);
	const uint64_t pause = now->ticks - fiber->since;
	uint32_t flags = now->flags;
	unsigned int i, k;

#pragma GCC unroll 3
	for (i = 0; i < n; i++) {
		struct selfmon_suspended *const kept = &fiber->visit[i];

		selfmon_store_once(&open[i].start.ticks,
				   kept->start.ticks + pause);
#pragma GCC unroll 4
		for (k = 0; k < PAIRS; k++)
			*pair_of(&open[i].start, k) =
				*pair_in(&kept->start, k) + sums.pair[k];
		flags |= kept->start.flags;
		open[i].known.locks = SELFMON_LOCKS_UNKNOWN;
	}
	if (selfmon_unlikely(flags))
		start_apart(open, fiber, now, n);
}

static ALWAYS_INLINE void resume_any(struct selfmon_thread *thread,
				     struct selfmon_fiber *fiber, size_t used,
				     uint64_t before)
{
	struct selfmon_visit *const open = thread->open + 1;
	const uint32_t n = fiber->count;
	struct selfmon_snapshot now;

	if (selfmon_likely(n == 2))
		selfmon_fiber_put_on(thread, fiber, used, before, 2, false);
	else if (n == 3)
		selfmon_fiber_put_on(thread, fiber, used, before, 3, false);
	else if (n == 1)
		selfmon_fiber_put_on(thread, fiber, used, before, 1, false);
	else
		selfmon_fiber_put_on(thread, fiber, used, before, 0, false);
	snapshot_own(thread->set, &now, false);
	if (selfmon_likely(n == 2))
		start_counted(open, fiber, &now, 2);
	else if (n == 3)
		start_counted(open, fiber, &now, 3);
	else if (n == 1)
		start_counted(open, fiber, &now, 1);
}

static ALWAYS_INLINE bool switch_counted(struct selfmon_thread *thread,
					 struct selfmon_fiber *from,
					 struct selfmon_fiber *fiber,
					 uint32_t mode)
{
	const size_t used = selfmon_fiber_used(thread);
	struct selfmon_snapshot now;

	snapshot_own(thread->set, &now, true);
	selfmon_fiber_gate_close(thread);
	if (selfmon_unlikely(!keep_any(thread, from, &now, used)))
		return false;
	selfmon_fiber_leave_stack(thread, from);
	selfmon_fiber_enter_stack(thread, fiber);
	resume_any(thread, fiber, used, now.ticks);
	selfmon_compiler_fence();
	selfmon_store_once(&fiber->count, 0);
	selfmon_fiber_gate_open(thread, mode, SELFMON_LOW_USER);
	return true;
}

void selfmon_fiber_switch_counted(struct selfmon_thread *thread,
				  struct selfmon_fiber *from,
				  struct selfmon_fiber *fiber)
{
	const uint32_t mode = selfmon_load_once(&thread->mode);

	if ((mode == SELFMON_MODE_USER || mode == SELFMON_MODE_ANY) &&
	    from->counted == selfmon_fiber_number(thread) &&
	    fiber->counted == selfmon_fiber_number(thread) &&
	    selfmon_likely(!selfmon_load_once(&thread->switching)) &&
	    selfmon_likely(switch_counted(thread, from, fiber, mode)))
		return;
	selfmon_fiber_switch_any(thread, fiber);
}
