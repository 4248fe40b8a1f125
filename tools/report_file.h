/* SPDX-License-Identifier: MIT */
/* Report files: live files and JSON. */
#ifndef SELFMON_TOOLS_REPORT_FILE_H
#define SELFMON_TOOLS_REPORT_FILE_H

#include <selfmon/report.h>

#include "report/errata.h"
#include "report/model.h"

struct report_file {
	const char *path;
	bool threads; /* rows by thread were requested */
	struct selfmon_report *report;
	/* Only for JSON: texts to which the report points. */
	char **text;
	size_t texts;
	struct selfmon_erratum erratum[SELFMON_ERRATA_MAX];
};

/*
 * Opens a file, whose first bytes show its kind. If threads is true, also reads
 * rows by thread from a live file. Returns 0, or TOOL_NO with a message on
 * standard error.
 */
int report_file_open(struct report_file *file, const char *path, bool threads);
void report_file_close(struct report_file *file);

#endif
