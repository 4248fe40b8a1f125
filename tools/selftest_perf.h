/* SPDX-License-Identifier: MIT */
/* The check "perf": compares the library with perf stat, for the same loops. */
#ifndef SELFMON_TOOLS_SELFTEST_PERF_H
#define SELFMON_TOOLS_SELFTEST_PERF_H

#include "selftest.h"

selftest_check_fn selftest_perf;

/*
 * The hidden option --loop: runs a loop of 2 * turns instructions. Returns the
 * exit status.
 */
int selftest_perf_loop(const char *turns);

#endif
