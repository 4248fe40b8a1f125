/* SPDX-License-Identifier: MIT */
/* What is checked of a user page once, when its event is opened. */
#include <linux/perf_event.h>

#include "counters/set.h"

#define SAME_OFFSET(ours, theirs)                                              \
	_Static_assert(offsetof(struct selfmon_page, ours) ==                  \
			       offsetof(struct perf_event_mmap_page, theirs),  \
		       "struct selfmon_page differs from the kernel's: " #ours)

/* Members that every header since 3.12 knows. */
SAME_OFFSET(version, version);
SAME_OFFSET(compat_version, compat_version);
SAME_OFFSET(lock, lock);
SAME_OFFSET(index, index);
SAME_OFFSET(offset, offset);
SAME_OFFSET(time_enabled, time_enabled);
SAME_OFFSET(time_running, time_running);
SAME_OFFSET(capabilities, capabilities);
SAME_OFFSET(pmc_width, pmc_width);
SAME_OFFSET(time_shift, time_shift);
SAME_OFFSET(time_mult, time_mult);
SAME_OFFSET(time_offset, time_offset);
SAME_OFFSET(time_zero, time_zero);
SAME_OFFSET(size, size);
_Static_assert(offsetof(struct selfmon_page, time_cycles) == 80 &&
		       offsetof(struct selfmon_page, time_mask) == 88,
	       "time_cycles and time_mask, in headers since 5.9 only");
_Static_assert(offsetof(struct selfmon_page, pmc_width) + 2 <= 64,
	       "a read touches one cache line");
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "capability bits are numbered for little-endian machines"
#endif

bool selfmon_page_check(const struct selfmon_page *page, unsigned int *shift)
{
	const uint64_t capabilities = selfmon_load_once(&page->capabilities);
	const unsigned int width = selfmon_load_once(&page->pmc_width);
	const uint32_t index = selfmon_load_once(&page->index);

	if (!SELFMON_ARCH_USER_READ)
		return false;
	/* Bit 1 clear: a kernel before 3.12, whose bit 0 cannot be trusted. */
	if (!(capabilities & SELFMON_PAGE_CAP_BIT0_IS_DEPRECATED) ||
	    !(capabilities & SELFMON_PAGE_CAP_USER_RDPMC))
		return false;
	/*
	 * A software clock event that samples may show the capability by
	 * accident (its flags share a union with the timer); its width is 0.
	 */
	if (width < 1 || width > 64)
		return false;
	if (!selfmon_page_owns(page, index) ||
	    index - 1 == SELFMON_PAGE_PERF_METRICS)
		return false;
	*shift = 64 - width;
	return true;
}
