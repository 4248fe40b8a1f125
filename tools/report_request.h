/* SPDX-License-Identifier: MIT */
/* The options of selfmon report, after parsing. */
#ifndef SELFMON_TOOLS_REPORT_REQUEST_H
#define SELFMON_TOOLS_REPORT_REQUEST_H

#include <stddef.h>

#include <selfmon/report.h>

#include "report/view.h"
#include "report/write.h"

/*
 * The library's formats have their own numbers, and those of this program
 * follow.
 */
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

#endif
