/* SPDX-License-Identifier: MIT */
/* Checks the layout of struct selfmon_page against the kernel's header. */
#include <linux/perf_event.h>

#include <selfmon/page.h>

#define SAME_OFFSET(ours, theirs)                                              \
	_Static_assert(offsetof(struct selfmon_page, ours) ==                  \
			       offsetof(struct perf_event_mmap_page, theirs),  \
		       "struct selfmon_page differs from the kernel's: " #ours)

/* These members are in the header of every kernel since Linux 3.12. */
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
