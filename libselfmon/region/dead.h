/* SPDX-License-Identifier: MIT */
/*
 * What the address of an open visit's code says of it: on which stack it is,
 * and whether it can be alive.
 */
#ifndef SELFMON_REGION_DEAD_H
#define SELFMON_REGION_DEAD_H

#include "region/entry.h"

/*
 * Is this address inside of the bounds? Where they are not exact, it may be on
 * another stack all the same. The mark of a lexical visit is such an address.
 */
static inline bool selfmon_on_own_stack(const struct selfmon_thread *thread,
					uint64_t address)
{
	return address >= thread->stack_low && address < thread->stack_high;
}

/* On a stack that is not its thread's own: a coroutine's. */
static inline bool
selfmon_entry_on_other_stack(const struct selfmon_thread *thread,
			     const struct selfmon_open *open)
{
	const uint64_t mark = selfmon_entry_mark(open);

	return selfmon_mark_goes_on(mark) && !(mark & SELFMON_MARK_SPAN) &&
	       !selfmon_on_own_stack(thread, mark);
}

/*
 * The lowest of the top entries that are dead, now that code at this address
 * enters with this frame, or NULL; *under: a dead one further down, above which
 * some live, or NULL.
 */
struct selfmon_open *selfmon_dead_on_top(const struct selfmon_thread *thread,
					 const struct selfmon_frame *frame,
					 uint64_t address,
					 struct selfmon_open **under);

/* Is the top entry dead with the one below it that is left? */
bool selfmon_dead_above(const struct selfmon_thread *thread,
			const struct selfmon_open *open,
			const struct selfmon_open *top);

/* Is it dead, whatever lies above it? */
bool selfmon_dead_for_certain(const struct selfmon_thread *thread,
			      const struct selfmon_open *open,
			      uint64_t address);

/*
 * Where the bounds are not exact: did a jump go past this lexical entry, or was
 * its coroutine switched away? Either way it stands below code at this address.
 */
bool selfmon_dead_or_dropped(const struct selfmon_thread *thread,
			     const struct selfmon_open *open,
			     uint64_t address);

#endif
