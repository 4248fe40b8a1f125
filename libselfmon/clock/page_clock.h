/* SPDX-License-Identifier: MIT */
/*
 * Time by the kernel's own conversion of the timestamp counter, from a perf
 * page.
 */
#ifndef SELFMON_CLOCK_PAGE_CLOCK_H
#define SELFMON_CLOCK_PAGE_CLOCK_H

#include <selfmon/clock.h>
#include <selfmon/page.h>

/* Copies the conversion from a page. Returns 0, or -ENOTSUP if it has none. */
int selfmon_clock_from_page(struct selfmon_clock *clock,
			    const struct selfmon_page *page);

/*
 * For timestamps of less than 64 bits (arm64 and riscv64, if the page has
 * cap_user_time_short): sets a time in the past and the missing bits. Later
 * ticks continue as cycles + ((ticks - cycles) & ~unused) after a wrap. Both
 * are 0 if no bits are missing.
 */
void selfmon_clock_page_short(const struct selfmon_page *page,
			      uint64_t *cycles, uint64_t *unused);

/*
 * Opens a dummy software event, which needs neither a PMU nor a permission, and
 * copies the conversion from its page. The event stays open for the life of the
 * process, even if its page has no conversion: opening the first event of a
 * system costs milliseconds. The page is unmapped, so that a forked child has
 * no access to it. Returns 0 or -errno.
 */
int selfmon_clock_page_open(struct selfmon_clock *clock);

/*
 * Closes the event if it belongs to this process's parent: its conversion is
 * already copied.
 */
void selfmon_clock_page_forked(void);

/*
 * Ends the library: closes the event, if the descriptor still belongs to it,
 * and prevents further opens.
 */
void selfmon_clock_page_end(void);

#endif
