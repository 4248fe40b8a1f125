/* SPDX-License-Identifier: MIT */
/*
 * Merges the headers. Counts are added. A setting or text that all processes
 * share is kept; different texts are listed. A difference that would change the
 * meaning of sums is refused.
 */
#ifndef SELFMON_TOOLS_REPORT_MERGE_HEADER_H
#define SELFMON_TOOLS_REPORT_MERGE_HEADER_H

#include "report_file.h"

/*
 * Merges the parts of the reports above the table. Returns 0, or TOOL_NO with a
 * message.
 */
int report_merge_header(struct selfmon_report *to,
			struct report_file *files, size_t count);

#endif
