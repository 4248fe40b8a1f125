/* SPDX-License-Identifier: MIT */
/*
 * The checks "agree" and "wrap". The first compares user reads with read(2); the
 * second compares them with the known number of instructions in a long run.
 */
#ifndef SELFMON_TOOLS_SELFTEST_AGREE_H
#define SELFMON_TOOLS_SELFTEST_AGREE_H

#include "selftest.h"

selftest_check_fn selftest_agree, selftest_wrap;

#endif
