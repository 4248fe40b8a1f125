/* SPDX-License-Identifier: MIT */
/*
 * The slow snapshot, for all cases that the inline read does not handle:
 * members that are read by read(2), fences, another clock, and other threads.
 * The timestamp is taken innermost, next to the reads of the hardware members.
 * The members that only read(2) serves are read outermost.
 */
#include "counters/snapshot.h"

#include <string.h>

#include "clock/clock.h"
#include "counters/group.h"
#include "counters/set.h"
#include "counters/threads.h"
#include "counters/threads_read.h"
#include "platform/kernel.h"
#include "platform/thread_cpu.h"

static uint64_t now(const struct selfmon_counters *set)
{
	return set->flags & SELFMON_IMPL_SET_CLOCK ? selfmon_clock_ticks()
						   : selfmon_arch_timestamp();
}

/*
 * The descriptor is checked again only after this many ticks, which are at most
 * a millisecond: a check at each read would make reads a third slower. At the
 * end of a visit a check would be counted in the visit, so there the last check
 * stays valid for longer.
 */
#define TRUSTED_TICKS (SELFMON_ARCH_TIMESTAMP_HZ_MIN / 1000)

/*
 * Reads the group that starts at member `first`. If the kernel's id of the
 * leader is unknown, the descriptor is not checked.
 */
static int read_group(struct selfmon_set *set,
		      struct selfmon_snapshot *snapshot, size_t first,
		      size_t count, bool end, struct selfmon_share *times)
{
	struct selfmon_member *const leader = &set->member[first];

	return selfmon_group_read_own(
		leader, count, leader->id ? now(&set->head) : 0,
		end ? set->trusted_ticks : TRUSTED_TICKS,
		snapshot->value + first, times);
}

SELFMON_ALWAYS_INLINE void read_values(struct selfmon_set *set,
				       struct selfmon_snapshot *snapshot,
				       size_t first, size_t count, bool end,
				       struct selfmon_share *times)
{
	if (read_group(set, snapshot, first, count, end, times))
		snapshot->flags |= SELFMON_SNAPSHOT_LOST_REST;
}

/*
 * Reads the hardware groups after the first, which are at the end of the
 * members, and the events that use no counter of the PMU.
 */
__attribute__((noinline)) static void
read_more(struct selfmon_set *set, struct selfmon_snapshot *snapshot, bool end)
{
	const struct selfmon_counters *const head = &set->head;
	const size_t kernel = head->hardware_count;
	size_t first = head->count;
	size_t k;

	for (k = head->more; k-- > 0;) {
		const size_t count = head->more_count[k];

		first -= count;
		read_values(set, snapshot, first, count, end,
			    &snapshot->more[k]);
	}
	if (first > kernel)
		read_values(set, snapshot, kernel, first - kernel, end, NULL);
}

/* Reads all members except the first group of hardware events. */
static void read_rest(struct selfmon_set *set,
		      struct selfmon_snapshot *snapshot, bool end)
{
	/* 0 with further groups: read_more() then reads all the rest. */
	const size_t count = set->head.rest;

	if (selfmon_likely(count))
		read_values(set, snapshot, set->head.hardware_count, count, end,
			    NULL);
	else if (set->head.more)
		read_more(set, snapshot, end);
}

/*
 * Reads the hardware members by one group read(2), which also returns the
 * current times.
 */
static void read_hardware(struct selfmon_set *set,
			  struct selfmon_snapshot *snapshot, bool end)
{
	const struct selfmon_counters *head = &set->head;
	const size_t count = head->hardware_count;
	struct selfmon_share times;
	uint32_t flags = SELFMON_SNAPSHOT_SLOW;

	if (end)
		snapshot->ticks = now(head);
	if (count == 0) {
		flags = 0;
	} else if (!read_group(set, snapshot, 0, count, end, &times)) {
		snapshot->off_ns = times.off_ns;
		snapshot->enabled_ns = times.enabled_ns;
	} else {
		flags |= SELFMON_SNAPSHOT_LOST_USER;
	}
	snapshot->flags |= flags;
	/*
	 * Not set->head.page[0], which the guard may have replaced: the lock of
	 * the kernel's page is needed.
	 */
	if (count && set->member[0].page)
		snapshot->lock = selfmon_load_once(&set->member[0].page->lock);
	/*
	 * Stored as one word, since a reader of the live file may load the
	 * ticks at this moment.
	 */
	if (!end)
		selfmon_store_once(&snapshot->ticks, now(head));
}

static void read_threads(struct selfmon_set *set,
			 struct selfmon_snapshot *snapshot, bool end)
{
	const uint64_t before = now(&set->head);

	if (end)
		snapshot->ticks = before;
	snapshot->flags =
		(set->head.hardware_count ? SELFMON_SNAPSHOT_SLOW : 0) |
		selfmon_threads_read(set, snapshot, before,
				     end ? set->trusted_ticks : TRUSTED_TICKS,
				     end);
	if (!end) /* stored as one word, see above */
		selfmon_store_once(&snapshot->ticks, now(&set->head));
}

/*
 * Returns the CPU of the thread that opened the set; on other threads, returns
 * SELFMON_CPU_UNKNOWN. Some C libraries do not provide the CPU in user space
 * (glibc before 2.35; on riscv64 later versions too). There a system call
 * returns the CPU, since this path makes system calls in any case.
 */
static uint32_t cpu_now(const struct selfmon_counters *counters, bool own)
{
	const uint32_t cpu = own ? selfmon_load_once(counters->cpu) : 0;

	if (!own)
		return SELFMON_CPU_UNKNOWN;
	return cpu == SELFMON_CPU_UNKNOWN ? selfmon_kernel_cpu() : cpu;
}

/*
 * Returns true in a forked child of the process that opened the set. The child
 * has neither the pages nor the counters.
 */
static bool is_foreign_process(const struct selfmon_set *set)
{
	if (!(set->head.flags & SELFMON_IMPL_SET_UNWIPED))
		return !set->head.owner;
	return set->pid != selfmon_kernel_pid();
}

__attribute__((noinline)) static void
read_any(struct selfmon_set *set, struct selfmon_snapshot *snapshot, bool own,
	 bool end)
{
	const struct selfmon_counters *const counters = &set->head;
	const bool foreign = is_foreign_process(set);
	uint32_t lost, cpu;

	/*
	 * Sets the fields that some paths below do not set. All paths set
	 * ticks, cpu and the members' values, or mark the values as lost.
	 */
	snapshot->off_ns = snapshot->enabled_ns = 0;
	snapshot->flags = snapshot->moved = snapshot->lock = 0;
	if (counters->flags & SELFMON_IMPL_SET_FENCE)
		selfmon_arch_fence();
	if (counters->count == 0 || foreign) {
		/*
		 * In a forked child the set may be wiped, so its clock may be
		 * unknown.
		 */
		snapshot->ticks = foreign ? selfmon_clock_ticks()
					  : now(counters);
		snapshot->cpu = own ? selfmon_load_once(counters->cpu)
				    : UINT32_MAX;
		snapshot->flags = foreign ? SELFMON_SNAPSHOT_LOST : 0;
		memset(snapshot->value, 0, sizeof(snapshot->value));
		return;
	}
	if (set->threads) {
		snapshot->cpu = cpu_now(counters, own);
		read_threads(set, snapshot, end);
		return;
	}
	cpu = end ? 0 : cpu_now(counters, own);
	if (!end)
		read_rest(set, snapshot, end);
	lost = snapshot->flags;
	if (!own || counters->flags & SELFMON_IMPL_SET_SYSCALL ||
	    !selfmon_impl_snapshot_user(counters, snapshot, end))
		read_hardware(set, snapshot, end);
	snapshot->flags |= lost;
	snapshot->cpu = end ? cpu_now(counters, own) : cpu;
	if (end)
		read_rest(set, snapshot, end);
}

/*
 * Returns true for a set without hardware members that is one group, counts one
 * thread, has no fence, and uses the timestamp counter as its clock. Its memory
 * must be wiped in forked children.
 */
SELFMON_ALWAYS_INLINE bool has_rest_alone(const struct selfmon_counters *head)
{
	return (head->flags &
		(SELFMON_IMPL_SET_SYSCALL | SELFMON_IMPL_SET_FENCE |
		 SELFMON_IMPL_SET_CLOCK | SELFMON_IMPL_SET_UNWIPED |
		 SELFMON_IMPL_SET_THREADS)) == SELFMON_IMPL_SET_SYSCALL &&
	       head->hardware_count == 0 && head->rest > 0;
}

/*
 * Reads a set for which has_rest_alone() is true. At the end of an interval,
 * the timestamp of the snapshot also serves the check of the descriptor.
 */
static void read_rest_alone(struct selfmon_set *set,
			    struct selfmon_snapshot *snapshot, bool end)
{
	struct selfmon_member *const leader = &set->member[0];
	const uint32_t cpu = cpu_now(&set->head, true);
	uint64_t ticks = 0;

	snapshot->off_ns = snapshot->enabled_ns = 0;
	snapshot->moved = snapshot->lock = 0;
	if (end || leader->id)
		ticks = selfmon_arch_timestamp();
	if (end)
		snapshot->ticks = ticks;
	snapshot->cpu = cpu;
	snapshot->flags =
		selfmon_group_read_own(leader, set->head.rest,
				       leader->id ? ticks : 0,
				       end ? set->trusted_ticks
					   : TRUSTED_TICKS,
				       snapshot->value, NULL)
			? SELFMON_SNAPSHOT_LOST_REST
			: 0;
	if (!end) /* stored as one word, as above */
		selfmon_store_once(&snapshot->ticks, selfmon_arch_timestamp());
}

void selfmon_impl_snapshot_slow(const struct selfmon_counters *counters,
				struct selfmon_snapshot *snapshot, bool end)
{
	struct selfmon_set *set = selfmon_set_of(counters);
	const bool own = counters->owner == selfmon_arch_thread_pointer();

	if (selfmon_likely(own && has_rest_alone(counters)))
		read_rest_alone(set, snapshot, end);
	else
		read_any(set, snapshot, own, end);
}

void selfmon_snapshot_take(const struct selfmon_counters *set,
			   struct selfmon_snapshot *snapshot, bool end)
{
	if (end)
		selfmon_counters_end(set, snapshot);
	else
		selfmon_counters_begin(set, snapshot);
}
