/* SPDX-License-Identifier: MIT */
/* selfmon report --histogram: the distribution of a region's visit times. */
#ifndef SELFMON_TOOLS_REPORT_HISTOGRAM_H
#define SELFMON_TOOLS_REPORT_HISTOGRAM_H

#include <selfmon/report.h>

/*
 * Writes a histogram of each region that `region` names: by its name, or by the
 * end of its path (names from the top, joined with '/'). Lines have at most 100
 * columns. file is the name of the report in messages. Returns 0. If no region
 * matches, returns TOOL_NO with a message.
 */
int report_histogram(const struct selfmon_report *report, const char *file,
		     const char *region, FILE *stream);

#endif
