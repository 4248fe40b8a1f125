/* SPDX-License-Identifier: MIT */
/* Checks the options of selfmon report. */
#ifndef SELFMON_TOOLS_REPORT_CHECK_H
#define SELFMON_TOOLS_REPORT_CHECK_H

#include "report_request.h"

/*
 * All functions return 0 if there is no error. Otherwise they print a message
 * and return TOOL_USAGE, except report_check_view(), which returns TOOL_NO.
 */
int report_take_format(const char *name, int *format);

/* Parses an option of the view: names and values are as in SELFMON_OUTPUT. */
int report_take_view(struct selfmon_view *view, const char *name,
		     const char *value);
int report_check(const struct report_request *request, size_t files);

/*
 * Checks the columns of the view for one report: reports have different
 * columns.
 */
int report_check_view(const struct selfmon_report *report, const char *path,
		      const struct report_request *request);

#endif
