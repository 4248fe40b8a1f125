/* SPDX-License-Identifier: MIT */
/* What selfmon report was asked for. */
#ifndef SELFMON_TOOLS_REPORT_REQUEST_H
#define SELFMON_TOOLS_REPORT_REQUEST_H

#include <stddef.h>

#include <selfmon/report.h>

#include "report/view.h"
#include "report/write.h"

/* The library's formats with its own numbers, then the tool's. */
enum {
	REPORT_FOLDED = SELFMON_FORMATS,
	REPORT_HTML,
	REPORT_PPROF,
};

struct report_request {
	int format;
	bool merge, samples, debuginfod;
	const char *by, *output, *histogram;
	bool viewed; /* a view option was given */
	struct selfmon_view view;
};

/*
 * report_check.c: parse and check options. Return 0, or TOOL_USAGE with a
 * message; the last one TOOL_NO.
 */
int report_take_format(const char *name, int *format);
/* Parses an option as in SELFMON_OUTPUT: "name=value". */
int report_take_view(struct selfmon_view *view, const char *name,
		     const char *value);
int report_check(const struct report_request *request, size_t files);
/* Checked for each report, since columns differ. */
int report_check_view(const struct selfmon_report *report, const char *path,
		      const struct report_request *request);

/*
 * report_write.c: writes one report to standard output. header: of the last CSV
 * file, freed by the caller; NULL: none yet. Returns an exit status.
 */
int report_write(const struct selfmon_report *report, const char *path,
		 const struct report_request *request, char **header);

#endif
