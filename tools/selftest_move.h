/* SPDX-License-Identifier: MIT */
/* move and preempt: visits that change CPUs or are preempted. */
#ifndef SELFMON_TOOLS_SELFTEST_MOVE_H
#define SELFMON_TOOLS_SELFTEST_MOVE_H

#include "selftest.h"

selftest_check_fn selftest_move, selftest_preempt;

#endif
