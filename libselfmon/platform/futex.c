/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "platform/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/kernel.h"

#define NS_PER_S 1000000000u
#define REFUSED_NS 10000000u

void selfmon_futex_wait(const uint32_t *word, uint64_t ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};

	if (syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0) &&
	    errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT)
		selfmon_kernel_sleep_ns(ns < REFUSED_NS ? ns : REFUSED_NS);
}

void selfmon_futex_wake(uint32_t *word)
{
	const int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	errno = saved;
}
