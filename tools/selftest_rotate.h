/* SPDX-License-Identifier: MIT */
/*
 * The check "rotate": opens more events than there are counters, so that the
 * kernel multiplexes them.
 */
#ifndef SELFMON_TOOLS_SELFTEST_ROTATE_H
#define SELFMON_TOOLS_SELFTEST_ROTATE_H

#include "selftest.h"

selftest_check_fn selftest_rotate;

#endif
