/* SPDX-License-Identifier: MIT */
/* selfmon report --samples: the functions of each region, as text. */
#ifndef SELFMON_TOOLS_REPORT_SAMPLES_H
#define SELFMON_TOOLS_REPORT_SAMPLES_H

#include <stdio.h>

#include "symbols.h"

#define REPORT_SAMPLES_TOP 5

/*
 * Writes each region that has samples, with at most `top` functions; 0: all. If
 * only one more function is left, writes it too. Returns 0, or TOOL_NO with a
 * message.
 */
int report_samples(const struct selfmon_report *report, const char *path,
		   struct symbols *symbols, size_t top, FILE *to);

#endif
