/* SPDX-License-Identifier: MIT */
/* Which process of a line of forks this is. */
#ifndef SELFMON_PLATFORM_FORK_H
#define SELFMON_PLATFORM_FORK_H

#include <stdint.h>

/*
 * A number above 0 that no process has which this one descends from, by fork or
 * a raw clone. Process ids are not: the first of each PID namespace has 1. Where
 * there is no memory that a fork wipes (before Linux 4.14) it is one all the
 * same.
 */
int32_t selfmon_fork_token(void);

#endif
