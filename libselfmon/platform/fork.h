/* SPDX-License-Identifier: MIT */
/* Distinguishes this process from its ancestors. */
#ifndef SELFMON_PLATFORM_FORK_H
#define SELFMON_PLATFORM_FORK_H

#include <stdint.h>

/*
 * Returns a number above 0 that differs from the numbers of all ancestors of
 * this process, whether they used fork() or a raw clone(). Process ids would
 * not be unique: the first process of each PID namespace has the id 1. If the
 * kernel cannot wipe memory at fork() (before Linux 4.14), returns the process
 * id.
 */
int32_t selfmon_fork_token(void);

#endif
