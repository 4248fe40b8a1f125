/* SPDX-License-Identifier: MIT */
/* perf_event_open(2) on kernels older or newer than the headers. */
#ifndef SELFMON_PLATFORM_PERF_OPEN_H
#define SELFMON_PLATFORM_PERF_OPEN_H

#include "platform/kernel.h"

/*
 * Opens an event of the calling thread on any CPU, close-on-exec. After E2BIG
 * the kernel has stored the size that it supports in attr->size; this function
 * then clears the rest and repeats the call once. Repeats after EINTR. Returns
 * the descriptor or -errno. If keep is true, the descriptor is at least the
 * smaller of 1024 and half of RLIMIT_NOFILE, if such a number is free.
 */
int selfmon_kernel_perf_open(struct perf_event_attr *attr, int group_fd,
			     bool keep);
/*
 * Like selfmon_kernel_perf_open(), with a config3 (Linux 6.3), which the
 * headers at compile time may lack. Returns -E2BIG if the kernel does not know
 * config3; never drops a member.
 */
int selfmon_kernel_perf_open_wide(const struct perf_event_attr *attr,
				  uint64_t config3, int group_fd, bool keep);
/*
 * Opens an event of the thread `tid` of this process on any CPU. Threads that
 * `tid` starts later inherit the event. If `processes` is true, processes that
 * `tid` forks inherit it too. Sets attr->inherit. config3 may be 0; otherwise
 * like the two functions above. Returns -ESRCH if there is no such thread. If
 * `processes` is false, also returns -EINVAL if the kernel cannot limit
 * inheritance to threads (before 5.13).
 */
int selfmon_kernel_perf_open_thread(struct perf_event_attr *attr,
				    uint64_t config3, pid_t tid, int group_fd,
				    bool processes);
/*
 * Returns the bits of attr.config1 that request user reads from the PMU driver
 * of this machine.
 */
uint64_t selfmon_kernel_user_read_bits(void);

#endif
