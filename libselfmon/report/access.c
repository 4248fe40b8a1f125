/* SPDX-License-Identifier: MIT */
/* Public functions that read a report's rows, columns and notes. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "report/model.h"

size_t selfmon_report_row_count(const struct selfmon_report *report)
{
	return report->rows;
}

const struct selfmon_row *selfmon_report_row(const struct selfmon_report *report,
					     size_t i)
{
	return i < report->rows ? &report->row[i] : NULL;
}

const struct selfmon_report *
selfmon_report_async(const struct selfmon_report *report)
{
	return report->async;
}

/*
 * In the list of rows, parents come before their children. `matched` is the
 * number of names in the path that are found so far. A row deeper than
 * `matched` is below a row that does not match.
 */
const struct selfmon_row *
selfmon_report_find(const struct selfmon_report *report,
		    const char *const *path, size_t depth)
{
	size_t matched = 0, i;

	if (depth == 0)
		return NULL;
	for (i = 0; i < report->rows; i++) {
		const struct selfmon_row *const row = &report->row[i];

		if (row->depth < matched)
			matched = row->depth;
		if (row->depth != matched || strcmp(row->name, path[matched]))
			continue;
		if (++matched == depth)
			return row;
	}
	return NULL;
}

const char *selfmon_report_column(const struct selfmon_report *report, size_t i)
{
	return i < report->columns ? report->column[i].name : NULL;
}

size_t selfmon_report_column_count(const struct selfmon_report *report)
{
	return report->columns;
}

/*
 * Size of the struct in version 0.2, the first with this function. Later
 * versions may have more members.
 */
#define INFO_SIZE_FIRST (offsetof(struct selfmon_column_info, reason) + \
			 sizeof(const char *))

int selfmon_report_column_info(const struct selfmon_report *report, size_t i,
			       struct selfmon_column_info *info)
{
	const struct selfmon_report_column *column;

	if (info->size < INFO_SIZE_FIRST)
		return -EINVAL;
	if (i >= report->columns)
		return -ENOENT;
	column = &report->column[i];
	info->name = column->name;
	info->verdict = column->verdict;
	info->kernel = column->kernel;
	info->reason = column->verdict == SELFMON_NOT_COUNTED ? column->reason
							       : "";
	return 0;
}

size_t selfmon_report_note_count(const struct selfmon_report *report)
{
	return report->notes;
}

const char *selfmon_report_note(const struct selfmon_report *report, size_t i)
{
	return i < report->notes ? report->note[i] : NULL;
}
