/* SPDX-License-Identifier: MIT */
/*
 * Merges the reports of several processes, in the same way as the library
 * merges threads: rows with the same path become one row, with the sums of
 * their values. If a process did not count an event, its visits are left out of
 * that event's sum and number of visits.
 */
#ifndef SELFMON_TOOLS_REPORT_MERGE_H
#define SELFMON_TOOLS_REPORT_MERGE_H

#include "report_file.h"

/*
 * Makes one report of all files. The report points to texts of the files, which
 * must stay open. Returns 0, or TOOL_NO with a message.
 */
int report_merge(struct report_file *files, size_t count,
		 struct selfmon_report **merged);

#endif
