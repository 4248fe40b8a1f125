/* SPDX-License-Identifier: MIT */
/* For tests of which visits have entries in the recorder (store/limits.h). */
#ifndef TESTS_KERNEL_LISTED_H
#define TESTS_KERNEL_LISTED_H

#include "clock/clock.h"
#include "kernel/slow.h"
#include "store/limits.h"
#include "store/self.h"

#define RING ((uint64_t)SELFMON_RECORDER_ENTRIES)

static inline void skip_if_clock_is_called(void)
{
	if (!selfmon_clock_direct())
		cr_skip_test("the clock needs a call, so all visits take the "
			     "slow path");
}

static inline uint64_t entries(void)
{
	return selfmon_thread_self()->recorder->position;
}

static inline void visits(const char *name, uint64_t n)
{
	while (n--)
		visit(name, 0);
}

static inline void review(void)
{
	selfmon_limits_review(selfmon_thread_self());
}

static inline size_t parts_of(const struct selfmon_slow *slow,
			      const char *name)
{
	size_t i, n = 0;

	for (i = 0; i < slow->parts; i++)
		n += !strcmp(slow->part[i].region, name);
	return n;
}

#endif
