/* SPDX-License-Identifier: MIT */
/*
 * libselfmon: a program that measures itself. The one header to include.
 *
 * Needs Linux and gcc or clang. With SELFMON_DISABLE defined before, any
 * compiler of C11 or C++11 on any system; see selfmon/disabled.h.
 */
#ifndef SELFMON_H
#define SELFMON_H

#include "selfmon/version.h"
#include "selfmon/clock.h"
#include "selfmon/counters.h"
#include "selfmon/disabled.h"
#include "selfmon/doctor.h"
#include "selfmon/error.h"
#include "selfmon/event.h"
#include "selfmon/options.h"
#include "selfmon/region.h"
#include "selfmon/report.h"

#endif
