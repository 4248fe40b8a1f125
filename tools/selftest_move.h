/* SPDX-License-Identifier: MIT */
/*
 * The checks "move" and "preempt": visits that change CPUs, or that are
 * preempted.
 */
#ifndef SELFMON_TOOLS_SELFTEST_MOVE_H
#define SELFMON_TOOLS_SELFTEST_MOVE_H

#include "selftest.h"

selftest_check_fn selftest_move, selftest_preempt;

#endif
