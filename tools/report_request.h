/* SPDX-License-Identifier: MIT */
/* The options of selfmon report, after parsing. */
#ifndef SELFMON_TOOLS_REPORT_REQUEST_H
#define SELFMON_TOOLS_REPORT_REQUEST_H

#include <stddef.h>

#include <selfmon/report.h>

#include "report/view.h"
#include "report/write.h"

/* Numbers of formats. The library's formats have the lower numbers. */
enum {
	REPORT_FOLDED = SELFMON_FORMATS,
	REPORT_HTML,
	REPORT_PPROF,
};

struct report_request {
	int format;
	bool merge, samples, debuginfod;
	const char *by, *output, *histogram;
	bool viewed; /* a view option other than --threads was given */
	struct selfmon_view view;
};

#endif
