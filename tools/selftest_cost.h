/* SPDX-License-Identifier: MIT */
/* cost: records the cost of a region, without judging it. */
#ifndef SELFMON_TOOLS_SELFTEST_COST_H
#define SELFMON_TOOLS_SELFTEST_COST_H

#include "selftest.h"

selftest_check_fn selftest_cost;

#endif
