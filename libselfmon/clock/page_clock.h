/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own conversion of the timestamp counter to time, from a perf
 * page.
 */
#ifndef SELFMON_CLOCK_PAGE_CLOCK_H
#define SELFMON_CLOCK_PAGE_CLOCK_H

#include <selfmon/clock.h>
#include <selfmon/page.h>

/*
 * Copies the conversion from a page. Returns 0, or -ENOTSUP if the page has none
 * or its lock keeps changing.
 */
int selfmon_clock_from_page(struct selfmon_clock *clock,
			    const struct selfmon_page *page);

/*
 * For timestamps of less than 64 bits (arm64 and riscv64, if the page has
 * cap_user_time_short). Sets *cycles to a recent timestamp, and *unused to the
 * high bits that timestamps lack. The full value of a later timestamp is cycles
 * + ((ticks - cycles) & ~unused), also after a wrap. Both are 0 if the page has
 * no valid time_mask, as on machines whose timestamps have 64 bits.
 */
void selfmon_clock_page_short(const struct selfmon_page *page,
			      uint64_t *cycles, uint64_t *unused);

/*
 * Opens a dummy software event and copies the conversion from its page. The
 * event needs no PMU. It needs no permission either, except on kernels that are
 * patched to refuse every event. It stays open until selfmon_clock_page_end(),
 * even if its page has no conversion: opening an event takes milliseconds if no
 * other event is open on the machine. The page is unmapped, so that a forked
 * child cannot access it. Returns 0 or -errno.
 */
int selfmon_clock_page_open(struct selfmon_clock *clock);

/*
 * Closes the event in a forked child, which has its own copy of the conversion.
 * Does nothing in the process that opened the event.
 */
void selfmon_clock_page_forked(void);

/*
 * Called when the library ends: closes the event if the descriptor still
 * belongs to it, and prevents further opens.
 */
void selfmon_clock_page_end(void);

#endif
