/* SPDX-License-Identifier: MIT */
/* The checks "exact" and "slope": loops of a known number of instructions. */
#ifndef SELFMON_TOOLS_SELFTEST_EXACT_H
#define SELFMON_TOOLS_SELFTEST_EXACT_H

#include "selftest.h"

selftest_check_fn selftest_exact, selftest_slope;

#endif
