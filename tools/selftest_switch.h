/* SPDX-License-Identifier: MIT */
/* The check "switch": reports the cost of a context switch with open events. */
#ifndef SELFMON_TOOLS_SELFTEST_SWITCH_H
#define SELFMON_TOOLS_SELFTEST_SWITCH_H

#include "selftest.h"

selftest_check_fn selftest_switches;

#endif
