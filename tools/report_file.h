/* SPDX-License-Identifier: MIT */
/* Report files: live files and JSON; several of them merged. */
#ifndef SELFMON_TOOLS_REPORT_FILE_H
#define SELFMON_TOOLS_REPORT_FILE_H

#include <selfmon/report.h>

#include "report/errata.h"
#include "report/model.h"

struct report_file {
	const char *path;
	bool threads; /* has rows by thread too, if the file has them */
	struct selfmon_report *report;
	/* Only for JSON: the texts to which the report points. */
	char **text;
	size_t texts;
	struct selfmon_erratum erratum[SELFMON_ERRATA_MAX];
};

/*
 * Opens a file; its first bytes show of which kind it is. With threads, reads
 * rows by thread from a live file, too. Returns 0, or TOOL_NO with a message on
 * standard error.
 */
int report_file_open(struct report_file *file, const char *path, bool threads);
void report_file_close(struct report_file *file);

#endif
