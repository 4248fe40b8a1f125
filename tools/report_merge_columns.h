/* SPDX-License-Identifier: MIT */
/* The columns of a merged report: those of all files, matched by name. */
#ifndef SELFMON_TOOLS_REPORT_MERGE_COLUMNS_H
#define SELFMON_TOOLS_REPORT_MERGE_COLUMNS_H

#include "report_file.h"

#define REPORT_NO_COLUMN SELFMON_MAX_COUNTERS
/*
 * Returns the column of `report` with the same name as a column of `of`, or
 * REPORT_NO_COLUMN. If a name occurs several times, the n-th column of one
 * report matches the n-th of the other.
 */
size_t report_column_find(const struct selfmon_report *report,
			  const struct selfmon_report *of, size_t column);

/* Adds the columns of a file. Returns 0, or TOOL_NO with a message. */
int report_columns_add(struct selfmon_report *to,
		       const struct report_file *file);

/*
 * Adds to a column's reason the number of processes in which the event was not
 * requested or could not be counted.
 */
void report_column_note(struct selfmon_report *to, size_t column,
			const struct report_file *files, size_t count);

#endif
