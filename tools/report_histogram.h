/* SPDX-License-Identifier: MIT */
/* selfmon report --histogram: how long the visits of a region took. */
#ifndef SELFMON_TOOLS_REPORT_HISTOGRAM_H
#define SELFMON_TOOLS_REPORT_HISTOGRAM_H

#include <selfmon/report.h>

/*
 * Writes a histogram of each region that is named so, or whose path ends so:
 * names from the top, joined with '/'. Lines have at most 100 columns. file is
 * the report's, for messages. 0; TOOL_NO, with a sentence on standard error:
 * there is no such region.
 */
int report_histogram(const struct selfmon_report *report, const char *file,
		     const char *region, FILE *stream);

#endif
