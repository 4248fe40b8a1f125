/* SPDX-License-Identifier: MIT */
/* All checks in their order, each in a process of its own. */
#ifndef SELFMON_TOOLS_SELFTEST_RUN_H
#define SELFMON_TOOLS_SELFTEST_RUN_H

#include "selftest.h"

/*
 * Fills in the rows of a result, and prints each as it is done to text, if that
 * is not NULL. began: when the time that all may take began.
 */
void selftest_run_all(const struct selftest_case *from, uint64_t began,
		      FILE *text, struct selftest_result *result);

#endif
