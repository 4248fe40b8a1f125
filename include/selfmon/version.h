/* SPDX-License-Identifier: MIT */
/* The version of these headers; the Makefile reads it from here. */
#ifndef SELFMON_VERSION_H
#define SELFMON_VERSION_H

#define SELFMON_VERSION_MAJOR 0
#define SELFMON_VERSION_MINOR 2
#define SELFMON_VERSION_PATCH 0
#define SELFMON_VERSION "0.2.0"

#endif
