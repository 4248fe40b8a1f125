/* SPDX-License-Identifier: MIT */
/* Shared by the parts of the merge. */
#ifndef SELFMON_TOOLS_REPORT_MERGE_H
#define SELFMON_TOOLS_REPORT_MERGE_H

#include "report_file.h"

/* report_join.c: adds a text to a list, unless it is already there. */
void report_join(char *to, size_t size, const char *between, const char *text);
#define REPORT_JOIN(to, between, text) \
	report_join(to, sizeof(to), between, text)

/* report_merge_columns.c: returns 0, or TOOL_NO with a message. */
int report_columns_add(struct selfmon_report *to,
		       const struct report_file *file);
/*
 * Adds to the reason in how many processes the event was not requested, or
 * could not be counted.
 */
void report_column_note(struct selfmon_report *to, size_t column,
			const struct report_file *files, size_t count);

#endif
