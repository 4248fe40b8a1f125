/* SPDX-License-Identifier: MIT */
/* exact and slope: loops with a known number of instructions. */
#ifndef SELFMON_TOOLS_SELFTEST_EXACT_H
#define SELFMON_TOOLS_SELFTEST_EXACT_H

#include "selftest.h"

selftest_check_fn selftest_exact, selftest_slope;

#endif
