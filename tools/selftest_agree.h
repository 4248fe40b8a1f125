/* SPDX-License-Identifier: MIT */
/*
 * The checks "agree" and "wrap": "agree" compares user reads with read(2);
 * "wrap" compares the count of a long run with its known number of
 * instructions.
 */
#ifndef SELFMON_TOOLS_SELFTEST_AGREE_H
#define SELFMON_TOOLS_SELFTEST_AGREE_H

#include "selftest.h"

selftest_check_fn selftest_agree, selftest_wrap;

#endif
