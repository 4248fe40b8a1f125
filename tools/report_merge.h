/* SPDX-License-Identifier: MIT */
/* What the parts of the merge share. */
#ifndef SELFMON_TOOLS_REPORT_MERGE_H
#define SELFMON_TOOLS_REPORT_MERGE_H

#include "report_file.h"

/* report_merge_header.c: adds a text to a list, unless it is in it. */
void report_join(char *to, size_t size, const char *between, const char *text);
#define REPORT_JOIN(to, between, text) \
	report_join(to, sizeof(to), between, text)

/* report_merge_columns.c: 0 or, having said why, TOOL_NO. */
int report_columns_add(struct selfmon_report *to,
		       const struct report_file *file);
/* In how many it was not asked for, or could not be counted. */
void report_column_tell(struct selfmon_report *to, size_t column,
			const struct report_file *files, size_t count);

#endif
