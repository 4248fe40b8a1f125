/* SPDX-License-Identifier: MIT */
/*
 * libselfmon: instrumentation for programs that measure themselves. Include
 * this header only; it includes the others.
 *
 * Needs Linux and gcc or clang. If SELFMON_DISABLE is defined before the
 * include, any C11 or C++11 compiler on any system compiles it; see
 * selfmon/disabled.h.
 */
#ifndef SELFMON_H
#define SELFMON_H

#include "selfmon/version.h"
#include "selfmon/async.h"
#include "selfmon/clock.h"
#include "selfmon/counters.h"
#include "selfmon/disabled.h"
#include "selfmon/doctor.h"
#include "selfmon/error.h"
#include "selfmon/event.h"
#include "selfmon/fiber.h"
#include "selfmon/options.h"
#include "selfmon/region.h"
#include "selfmon/report.h"

#endif
