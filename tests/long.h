/* SPDX-License-Identifier: MIT */
/*
 * For tests that have a short form (make check) and a long one (make
 * check-long, which sets LONG_TESTS).
 */
#ifndef SELFMON_TESTS_LONG_H
#define SELFMON_TESTS_LONG_H

#include <stdlib.h>

static inline int long_or_short(int in_long, int in_short)
{
	return getenv("LONG_TESTS") ? in_long : in_short;
}

#endif
