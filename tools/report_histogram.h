/* SPDX-License-Identifier: MIT */
/* selfmon report --histogram: the distribution of a region's visit times. */
#ifndef SELFMON_TOOLS_REPORT_HISTOGRAM_H
#define SELFMON_TOOLS_REPORT_HISTOGRAM_H

#include <selfmon/report.h>

/*
 * Writes a histogram of each region with this name, or whose path (names from
 * the top, joined with '/') ends with it. Lines have at most 100 columns. file
 * is the name of the report in messages. Returns 0, or TOOL_NO with a message
 * if there is no such region.
 */
int report_histogram(const struct selfmon_report *report, const char *file,
		     const char *region, FILE *stream);

#endif
