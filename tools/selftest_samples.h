/* SPDX-License-Identifier: MIT */
/*
 * samples: two regions whose work is in code of their own, so that the address
 * of a sample shows which region it belongs to.
 */
#ifndef SELFMON_TOOLS_SELFTEST_SAMPLES_H
#define SELFMON_TOOLS_SELFTEST_SAMPLES_H

#include "selftest.h"

selftest_check_fn selftest_samples;

#endif
