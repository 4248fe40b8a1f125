/* SPDX-License-Identifier: MIT */
/*
 * The guard: what becomes of a set whose counter reads fault.
 *
 * The instruction was stepped over and its result is worth nothing. That must
 * not cost the reads that go well anything. So the set's pages are exchanged,
 * while the read is in flight, for one that no lock was ever seen at and that
 * owns no counter: each read ends with a look at the lock of a page which it
 * finds through the set, finds it moved, tries again and is told to go by
 * read(2). What comes out is a number of the same event, no number is lost.
 */
#include "counters/set.h"
#include "platform/fault.h"

/*
 * Odd, as no lock or sum of locks that anybody has kept is: the other pages'
 * is 0. And not known.c's 1.
 */
#define LOCK_TAKEN 3

static uint64_t taken; /* sets */

void selfmon_set_take(struct selfmon_counters *head)
{
	struct selfmon_set *const set = selfmon_set_of(head);
	size_t i;

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
