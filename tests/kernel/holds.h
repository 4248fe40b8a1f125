/* SPDX-License-Identifier: MIT */
/* Finds out which descriptors of this process are perf events. */
#ifndef TESTS_KERNEL_HOLDS_H
#define TESTS_KERNEL_HOLDS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HOLDS_FDS 4096

static inline bool holds_event(int fd)
{
	char path[32], target[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	return strstr(target, "[perf_event]");
}

static inline int holds_events_from(int fd)
{
	int count = 0;

	for (; fd < HOLDS_FDS; fd++)
		count += holds_event(fd);
	return count;
}

#endif
