/* SPDX-License-Identifier: MIT */
/* Writes one report in any format. */
#ifndef SELFMON_TOOLS_REPORT_WRITE_H
#define SELFMON_TOOLS_REPORT_WRITE_H

#include "report_request.h"

/*
 * Writes one report to standard output. *header is the CSV header line of the
 * previous report, or NULL before the first one; the caller frees it. Returns
 * an exit status.
 */
int report_write(const struct selfmon_report *report, const char *path,
		 const struct report_request *request, char **header);

#endif
