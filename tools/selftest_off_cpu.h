/* SPDX-License-Identifier: MIT */
/* The check "off-cpu": a region that naps, compared with getrusage(2). */
#ifndef SELFMON_TOOLS_SELFTEST_OFF_CPU_H
#define SELFMON_TOOLS_SELFTEST_OFF_CPU_H

#include "selftest.h"

selftest_check_fn selftest_off_cpu;

#endif
