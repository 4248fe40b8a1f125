/* SPDX-License-Identifier: MIT */
#include "clock/page_clock.h"

#include <errno.h>
#include <string.h>

#include "platform/fork.h"
#include "platform/kernel.h"
#include "platform/perf_open.h"

#define NS_PER_S UINT64_C(1000000000)

/*
 * Largest shift of the page's conversion on all architectures that set
 * cap_user_time.
 */
#define SHIFT_MAX 31

/* The kernel rounds mult down, and knows its own rate only to a kHz. */
#define ERROR_PPM 1

int selfmon_clock_from_page(struct selfmon_clock *clock,
			    const struct selfmon_page *page)
{
	const uint64_t needed = SELFMON_PAGE_CAP_BIT0_IS_DEPRECATED |
				SELFMON_PAGE_CAP_USER_TIME;
	uint64_t caps = 0;
	uint32_t lock, mult = 0, shift = 0;
	int tries = SELFMON_PAGE_TRIES;

	do {
		if (tries-- == 0)
			return -ENOTSUP;
		lock = selfmon_load_once(&page->lock);
		selfmon_compiler_fence(); /* pairs with the 2nd barrier of
					     perf_event_update_userpage() */
		caps = selfmon_load_once(&page->capabilities);
		mult = selfmon_load_once(&page->time_mult);
		shift = selfmon_load_once(&page->time_shift);
		selfmon_compiler_fence(); /* pairs with the 1st barrier of
					     perf_event_update_userpage() */
	} while (selfmon_load_once(&page->lock) != lock);

	if ((caps & needed) != needed || mult == 0 || shift > SHIFT_MAX)
		return -ENOTSUP;
	*clock = (struct selfmon_clock){
		.source = SELFMON_CLOCK_PERF_PAGE,
		.shift = shift,
		.mult = mult,
		.hz = ((NS_PER_S << shift) + mult / 2) / mult,
		.error_ppm = ERROR_PPM,
	};
	return 0;
}

/* Size of a page with time_cycles and time_mask: offsetof(__reserved). */
#define SIZE_SHORT 96

void selfmon_clock_page_short(const struct selfmon_page *page,
			      uint64_t *cycles, uint64_t *unused)
{
	const uint64_t caps = selfmon_load_once(&page->capabilities);
	const uint64_t mask = selfmon_load_once(&page->time_mask);

	*cycles = *unused = 0;
	/* A valid mask has only low bits set. */
	if (!(caps & SELFMON_PAGE_CAP_USER_TIME_SHORT) ||
	    selfmon_load_once(&page->size) < SIZE_SHORT ||
	    mask < UINT32_MAX || mask & (mask + 1))
		return;
	*cycles = selfmon_load_once(&page->time_cycles);
	*unused = ~mask;
}

static int open_fd = -1;
static uint64_t open_id;
static int32_t open_in; /* token of the process that opened the event */
static bool closed_for_good;

/*
 * Closes the event's descriptor if it still belongs to the event: a program
 * that becomes a daemon may have closed it, and reused the number for a file.
 */
static void close_event(void)
{
	const int fd = __atomic_exchange_n(&open_fd, -1, __ATOMIC_ACQ_REL);

	if (fd >= 0 && open_id && selfmon_kernel_event_id(fd) == open_id)
		selfmon_kernel_close(fd);
}

void selfmon_clock_page_forked(void)
{
	if (selfmon_load_once(&open_fd) >= 0 && open_in != selfmon_fork_token())
		close_event();
}

void selfmon_clock_page_end(void)
{
	selfmon_store_once(&closed_for_good, true);
	close_event();
}

int selfmon_clock_page_open(struct selfmon_clock *clock)
{
	struct perf_event_attr attr;
	const struct selfmon_page *page = NULL;
	int fd, ret;

	if (selfmon_load_once(&closed_for_good))
		return -ECANCELED;
	close_event();
	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	fd = selfmon_kernel_perf_open(&attr, -1, true);
	if (fd < 0)
		return fd;
	ret = selfmon_kernel_map_page(fd, &page);
	if (ret) {
		selfmon_kernel_close(fd);
		return ret;
	}
	open_id = selfmon_kernel_event_id(fd);
	open_in = selfmon_fork_token();
	__atomic_store_n(&open_fd, fd, __ATOMIC_RELEASE);
	ret = selfmon_clock_from_page(clock, page);
	selfmon_kernel_unmap_page(page);
	return ret;
}
