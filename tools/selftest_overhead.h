/* SPDX-License-Identifier: MIT */
/*
 * The check "overhead": regions of known work, nested in one function and in
 * separate functions.
 */
#ifndef SELFMON_TOOLS_SELFTEST_OVERHEAD_H
#define SELFMON_TOOLS_SELFTEST_OVERHEAD_H

#include "selftest.h"

selftest_check_fn selftest_overhead;

/*
 * Makes the first visit, some time before the check and in the same process.
 * Returns false, with the reason in the row, if the check cannot run.
 */
bool selftest_overhead_prepare(struct selftest_row *row);

#endif
