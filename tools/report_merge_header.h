/* SPDX-License-Identifier: MIT */
/*
 * The header of a merged report. A value that all processes share is kept,
 * different values are listed, and a difference that would change the meaning
 * of sums is refused.
 */
#ifndef SELFMON_TOOLS_REPORT_MERGE_HEADER_H
#define SELFMON_TOOLS_REPORT_MERGE_HEADER_H

#include "report_file.h"

/* Merges everything above the table. */
int report_merge_header(struct selfmon_report *to,
			struct report_file *files, size_t count);

#endif
