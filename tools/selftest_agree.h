/* SPDX-License-Identifier: MIT */
/*
 * The checks agree and wrap: compare user reads with read(2), and with the
 * known number of instructions in a long run.
 */
#ifndef SELFMON_TOOLS_SELFTEST_AGREE_H
#define SELFMON_TOOLS_SELFTEST_AGREE_H

#include "selftest.h"

selftest_check_fn selftest_agree, selftest_wrap;

#endif
