/* SPDX-License-Identifier: MIT */
/* perf_event_open(2) on kernels older or newer than the headers. */
#ifndef SELFMON_PLATFORM_PERF_OPEN_H
#define SELFMON_PLATFORM_PERF_OPEN_H

#include "platform/kernel.h"

/*
 * Opens an event of the calling thread on any CPU, close-on-exec. On E2BIG the
 * kernel has written the size it knows into attr->size: the rest is cleared and
 * the call repeated once. EINTR is repeated.
 * Returns the descriptor, or -errno. With keep, the descriptor is at least
 * 1024, or half of RLIMIT_NOFILE, if such a number is free.
 */
int selfmon_kernel_perf_open(struct perf_event_attr *attr, int group_fd,
			     bool keep);
/*
 * The same with a config3 (Linux 6.3), which the headers at compile time may
 * lack. Returns -E2BIG if the kernel does not know it; then nothing is left
 * out.
 */
int selfmon_kernel_perf_open_wide(const struct perf_event_attr *attr,
				  uint64_t config3, int group_fd, bool keep);
/*
 * Opens an event of a thread of this process on any CPU. Threads that it starts
 * from then on inherit it, and with `processes` also processes that it forks.
 * Sets attr->inherit; otherwise like the two functions above, with config3 or
 * without (0). Returns -EINVAL without `processes` also if the kernel cannot
 * distinguish threads from processes (before 5.13), -ESRCH if there is no such
 * thread.
 */
int selfmon_kernel_perf_open_thread(struct perf_event_attr *attr,
				    uint64_t config3, pid_t tid, int group_fd,
				    bool processes);
/*
 * Returns the bits of attr.config1 that request user reads from this machine's
 * driver.
 */
uint64_t selfmon_kernel_user_read_bits(void);

#endif
