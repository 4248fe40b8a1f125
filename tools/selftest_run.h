/* SPDX-License-Identifier: MIT */
/* Runs all checks in their order, each in its own process. */
#ifndef SELFMON_TOOLS_SELFTEST_RUN_H
#define SELFMON_TOOLS_SELFTEST_RUN_H

#include "selftest.h"

/*
 * Runs the checks and fills in the rows of a result. If text is not NULL,
 * prints each row when its check is done. began is the start of the total time
 * limit.
 */
void selftest_run_all(const struct selftest_case *from, uint64_t began,
		      FILE *text, struct selftest_result *result);

#endif
