/* SPDX-License-Identifier: MIT */
/* The check "cost": reports what a region costs, without judging it. */
#ifndef SELFMON_TOOLS_SELFTEST_COST_H
#define SELFMON_TOOLS_SELFTEST_COST_H

#include "selftest.h"

selftest_check_fn selftest_cost;

#endif
