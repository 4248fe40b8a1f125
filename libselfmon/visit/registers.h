/* SPDX-License-Identifier: MIT */
/*
 * Reads the counters at the start and the end of a visit, for user.c,
 * user_start.c and rare.c.
 */
#ifndef SELFMON_VISIT_REGISTERS_H
#define SELFMON_VISIT_REGISTERS_H

#include "counters/set.h"
#include "visit/visit.h"

/*
 * Each number of counters has code of its own, without loops. Four counters,
 * the usual number, are handled separately and are not in this list.
 */
#define FOR_EACH_OTHER_COUNT(what)                                             \
	what(1) what(2) what(3) what(5) what(6) what(7) what(8)
#define USUAL_COUNT 4
_Static_assert(SELFMON_MAX_COUNTERS == 8, "numbers of counters");
_Static_assert(SELFMON_MAX_COUNTERS >= 2 * USUAL_COUNT,
	       "a start has as many values that are not used");

/*
 * Reads a register. If the machine may set the upper bits, replaces them by a
 * sign extension, because they would make differences wrong.
 */
static ALWAYS_INLINE uint64_t read_register(const struct selfmon_counters *head,
					    uint32_t counter)
{
	const uint64_t raw = selfmon_arch_read_counter(counter, head);

	return SELFMON_ARCH_RAW_IS_CLEAN
		       ? raw
		       : selfmon_page_extend(raw, head->shift[0]);
}

/*
 * Reads the counter that the page names now. Returns false if the page has no
 * counter.
 */
static ALWAYS_INLINE bool read_now(const struct selfmon_counters *head,
				   const struct selfmon_page *page,
				   uint64_t *value)
{
	const uint32_t index = selfmon_load_once(&page->index);
	uint32_t counter;

	if (selfmon_unlikely(!selfmon_arch_counter(index, &counter)))
		return false;
	/*
	 * On x86-64 this condition is constant and false, so the check costs
	 * nothing.
	 */
	if ((SELFMON_ARCH_CAPABILITY_VARIES ||
	     SELFMON_ARCH_COUNTERS != UINT32_MAX) &&
	    !selfmon_page_owns(page, index))
		return false;
	*value = read_register(head, counter);
	return true;
}

static ALWAYS_INLINE uint32_t kept_counter(const struct selfmon_visit *open,
					   unsigned int i)
{
	return i < SELFMON_PAGE_CACHE_COUNTERS
		       ? open->known.counter[i]
		       : open->rest.counter[i - SELFMON_PAGE_CACHE_COUNTERS];
}

#endif
