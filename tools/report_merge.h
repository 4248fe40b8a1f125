/* SPDX-License-Identifier: MIT */
/*
 * Merges reports of several processes, as the library merges threads: rows with
 * the same path become one row, and sums are added. Events that a process did
 * not count are in no sum, and its visits are not among those of the value.
 */
#ifndef SELFMON_TOOLS_REPORT_MERGE_H
#define SELFMON_TOOLS_REPORT_MERGE_H

#include "report_file.h"

/*
 * Makes one report of all files; it points into them. Returns 0, or TOOL_NO
 * with a message.
 */
int report_merge(struct report_file *files, size_t count,
		 struct selfmon_report **merged);

#endif
