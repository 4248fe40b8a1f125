/* SPDX-License-Identifier: MIT */
/* The checks "clock" and "faults", which need no PMU. */
#ifndef SELFMON_TOOLS_SELFTEST_CLOCK_H
#define SELFMON_TOOLS_SELFTEST_CLOCK_H

#include "selftest.h"

selftest_check_fn selftest_clock, selftest_faults;

#endif
