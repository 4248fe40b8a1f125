/* SPDX-License-Identifier: MIT */
/* Identifies this process among its ancestors and their forks. */
#ifndef SELFMON_PLATFORM_FORK_H
#define SELFMON_PLATFORM_FORK_H

#include <stdint.h>

/*
 * Returns a number above 0 that none of this process's ancestors has, by fork
 * or by a raw clone. Process ids are not unique that way: the first of each PID
 * namespace has 1. Without memory that a fork wipes (before Linux 4.14) it is
 * the process id.
 */
int32_t selfmon_fork_token(void);

#endif
