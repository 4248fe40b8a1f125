/* SPDX-License-Identifier: MIT */
/*
 * The check samples: two regions, each with work in code of its own, so that
 * the address of a sample shows to which region it belongs.
 */
#ifndef SELFMON_TOOLS_SELFTEST_SAMPLES_H
#define SELFMON_TOOLS_SELFTEST_SAMPLES_H

#include "selftest.h"

selftest_check_fn selftest_samples;

#endif
