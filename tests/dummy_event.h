/* SPDX-License-Identifier: MIT */
/* For tests: the descriptor of an event that every kernel has. */
#ifndef SELFMON_TESTS_DUMMY_EVENT_H
#define SELFMON_TESTS_DUMMY_EVENT_H

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int dummy_event_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
				    PERF_FLAG_FD_CLOEXEC);

	cr_assert_geq(fd, 0, "perf_event_open: errno %d", errno);
	return fd;
}

#endif
