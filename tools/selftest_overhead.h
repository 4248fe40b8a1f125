/* SPDX-License-Identifier: MIT */
/*
 * overhead: regions of known work, nested in one function and in separate ones.
 */
#ifndef SELFMON_TOOLS_SELFTEST_OVERHEAD_H
#define SELFMON_TOOLS_SELFTEST_OVERHEAD_H

#include "selftest.h"

selftest_check_fn selftest_overhead;

/*
 * Runs in the check's process some time before it; returns false with the
 * reason in the row.
 */
bool selftest_overhead_prepare(struct selftest_row *row);

#endif
