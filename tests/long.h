/* SPDX-License-Identifier: MIT */
/*
 * For tests that have a short form (make check) and a long one (make
 * check-long, which sets SELFMON_LONG).
 */
#ifndef SELFMON_TESTS_LONG_H
#define SELFMON_TESTS_LONG_H

#include <stdlib.h>

/* The library would name the variable as one that it does not know. */
__attribute__((constructor)) static void long_hide_variable(void)
{
	const char *value = getenv("SELFMON_LONG");

	if (value && *value == '1')
		setenv("LONG_TESTS", "1", 1);
	unsetenv("SELFMON_LONG");
}

static inline int long_or_short(int in_long, int in_short)
{
	return getenv("LONG_TESTS") ? in_long : in_short;
}

#endif
