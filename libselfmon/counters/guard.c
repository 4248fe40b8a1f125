/* SPDX-License-Identifier: MIT */
/*
 * The guard: if reading a counter faults, switches its set to read(2).
 *
 * The fault handler skips the faulting instruction, so the value that was read
 * is invalid. A check of the value would slow down reads that succeed. Instead
 * the handler replaces the set's pages while the read is in progress. The
 * replacement page has a lock value that no read has seen before, and no
 * counter. Each read ends by checking the lock of a page that it finds through
 * the set. So the interrupted read finds a changed lock, retries, finds no
 * counter, and falls back to read(2). The result is a count of the same event,
 * and no value is lost.
 */
#include "counters/guard.h"

#include "counters/set.h"
#include "platform/fault.h"

/*
 * The lock of the replacement page. It must differ from every value with which
 * a read compares: cached sums of locks are even, and an empty cache has
 * SELFMON_LOCKS_UNKNOWN (1). Saved locks are even too, except during an update
 * from another CPU (see selfmon/page.h).
 */
#define LOCK_TAKEN 3

static uint64_t taken; /* number of sets switched to read(2) */

void selfmon_set_take(struct selfmon_counters *head)
{
	struct selfmon_set *const set = selfmon_set_of(head);
	size_t i;

	set->why_syscall = "a user read faulted";
	selfmon_store_once(&set->taken.lock, LOCK_TAKEN);
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		selfmon_store_once(&head->page[i],
				   i ? &set->taken_too : &set->taken);
	if (!(head->flags & SELFMON_IMPL_SET_TAKEN))
		__atomic_add_fetch(&taken, 1, __ATOMIC_RELAXED);
	head->flags |= SELFMON_IMPL_SET_TAKEN | SELFMON_IMPL_SET_SYSCALL;
}

static void read_no_more(void *set)
{
	selfmon_set_take(set);
}

int selfmon_guard_install(void)
{
	return selfmon_fault_catch(read_no_more);
}

int selfmon_guard_check(void)
{
	return selfmon_fault_check();
}

uint64_t selfmon_guard_taken(void)
{
	return selfmon_load_once(&taken);
}

void selfmon_guard_forked(void)
{
	selfmon_store_once(&taken, 0);
}
