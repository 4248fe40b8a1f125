/* SPDX-License-Identifier: MIT */
/* The kernel's own conversion of the timestamp counter, from a perf page. */
#ifndef SELFMON_CLOCK_PAGE_CLOCK_H
#define SELFMON_CLOCK_PAGE_CLOCK_H

#include <selfmon/clock.h>
#include <selfmon/page.h>

/* Copies the conversion out of a page. 0, or -ENOTSUP: it has none. */
int selfmon_clock_from_page(struct selfmon_clock *clock,
			    const struct selfmon_page *page);

/*
 * Timestamps of less than 64 bits (arm64 and riscv64, told by the page's
 * cap_user_time_short): a moment in the past, and the bits that are missing.
 * Later ticks go on as cycles + ((ticks - cycles) & ~unused) where they wrap.
 * Both are 0 where nothing is missing.
 */
void selfmon_clock_page_short(const struct selfmon_page *page,
			      uint64_t *cycles, uint64_t *unused);

/*
 * Opens a software event that counts nothing, which needs neither a PMU nor a
 * permission, and copies the conversion from its page. The event stays open
 * for the life of the process, even where its page has none: the first event
 * of a whole system costs milliseconds to open. The page does not stay mapped:
 * nothing is left that a forked child could touch. 0 or -errno.
 */
int selfmon_clock_page_open(struct selfmon_clock *clock);

/*
 * Closes that event if it is the parent's of this process: what the clock
 * needs of it is known, and the descriptor is of no use.
 */
void selfmon_clock_page_forked(void);

/*
 * The library ends: closes that event, if the descriptor is still the event's,
 * and opens no more.
 */
void selfmon_clock_page_end(void);

#endif
