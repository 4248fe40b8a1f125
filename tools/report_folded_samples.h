/* SPDX-License-Identifier: MIT */
/*
 * Writes samples as folded stacks. A stack has the regions from the top,
 * followed by the functions from the outermost one, including inlined
 * functions.
 */
#ifndef SELFMON_TOOLS_REPORT_FOLDED_SAMPLES_H
#define SELFMON_TOOLS_REPORT_FOLDED_SAMPLES_H

#include <stdio.h>

#include <selfmon/report.h>

#include "symbols.h"

/*
 * Writes the samples of a report. path is the report's file, for messages.
 * Returns 0, or TOOL_NO with a message.
 */
int report_folded_samples(const struct selfmon_report *report, const char *path,
			  struct symbols *symbols, FILE *to);

#endif
