/* SPDX-License-Identifier: MIT */
/*
 * The check "samples": two regions, each with code of its own. The address of a
 * sample therefore shows to which region it belongs.
 */
#ifndef SELFMON_TOOLS_SELFTEST_SAMPLES_H
#define SELFMON_TOOLS_SELFTEST_SAMPLES_H

#include "selftest.h"

selftest_check_fn selftest_samples;

#endif
