/* SPDX-License-Identifier: MIT */
#include "report_merge_columns.h"

#include <string.h>

#include "report_join.h"
#include "tool.h"

/* Returns the number of earlier columns with the same name. */
static size_t turn_of(const struct selfmon_report *report, size_t column)
{
	size_t turn = 0, i;

	for (i = 0; i < column; i++)
		turn += !strcmp(report->column[i].name,
				report->column[column].name);
	return turn;
}

size_t report_column_find(const struct selfmon_report *report,
			  const struct selfmon_report *of, size_t column)
{
	size_t i;

	for (i = 0; i < report->columns; i++)
		if (!strcmp(report->column[i].name, of->column[column].name) &&
		    turn_of(report, i) == turn_of(of, column))
			return i;
	return REPORT_NO_COLUMN;
}

static size_t processes_of(const struct selfmon_report *report)
{
	return report->processes ? report->processes : 1;
}

#define WITHOUT_SIZE 80

/*
 * Writes the last part of the reason of a merged column: in how many processes
 * the event was not counted. Writes "" if it was counted in all or in none.
 */
static void put_without(const struct selfmon_report *report,
			const struct selfmon_report_column *column,
			char text[WITHOUT_SIZE])
{
	text[0] = '\0';
	if (column->without && column->verdict != SELFMON_NOT_COUNTED)
		snprintf(text, WITHOUT_SIZE, "not counted in %lu of %zu "
			 "processes", (unsigned long)column->without,
			 report->processes);
}

/*
 * Appends the reason of a file's column to the reason of the merged column.
 * Leaves out the part that put_without() writes: report_column_note() adds this
 * part once for all files.
 */
static void join_reason(char to[SELFMON_TEXT_MAX],
			const struct selfmon_report *report,
			const struct selfmon_report_column *from)
{
	char reason[SELFMON_TEXT_MAX], end[WITHOUT_SIZE];
	size_t length;

	snprintf(reason, sizeof(reason), "%s", from->reason);
	put_without(report, from, end);
	length = strlen(reason) - strlen(end);
	if (strlen(end) <= strlen(reason) && !strcmp(reason + length, end)) {
		reason[length] = '\0';
		if (length >= 2 && !strcmp(reason + length - 2, "; "))
			reason[length - 2] = '\0';
	}
	report_join(to, SELFMON_TEXT_MAX, "; ", reason);
}

static int add_column(struct selfmon_report *to, const struct report_file *file,
		      size_t column)
{
	const struct selfmon_report_column *const from =
		&file->report->column[column];
	const size_t k = report_column_find(to, file->report, column);
	struct selfmon_report_column *const at = &to->column[k];

	if (k == REPORT_NO_COLUMN) {
		if (to->columns == SELFMON_MAX_COUNTERS)
			return tool_fail("report", "%s: columns[%zu]: %s would "
					 "be the event %d of all files, and a "
					 "report has %d", file->path, column,
					 from->name, SELFMON_MAX_COUNTERS + 1,
					 SELFMON_MAX_COUNTERS);
		to->column[to->columns] = *from;
		to->column[to->columns].reason[0] = '\0';
		join_reason(to->column[to->columns++].reason, file->report,
			    from);
		return 0;
	}
	join_reason(at->reason, file->report, from);
	if (from->verdict == SELFMON_NOT_COUNTED)
		return 0;
	if (at->verdict == SELFMON_NOT_COUNTED)
		at->group = from->group;
	else if (at->group != from->group)
		at->group = 0;
	if (at->verdict != SELFMON_NOT_COUNTED && at->kernel != from->kernel)
		return tool_fail("report", "%s: columns[%zu].kernel: %s was "
				 "counted in kernel mode %s, unlike in files "
				 "before", file->path, column, from->name,
				 from->kernel ? "too" : "not");
	if (at->verdict == SELFMON_NOT_COUNTED || from->verdict < at->verdict)
		at->verdict = from->verdict;
	at->kernel = from->kernel;
	return 0;
}

int report_columns_add(struct selfmon_report *to,
		       const struct report_file *file)
{
	size_t i;
	int status = 0;

	for (i = 0; i < file->report->columns && !status; i++)
		status = add_column(to, file, i);
	return status;
}

void report_column_note(struct selfmon_report *to, size_t column,
			const struct report_file *files, size_t count)
{
	struct selfmon_report_column *const at = &to->column[column];
	char text[WITHOUT_SIZE];
	size_t i, k;

	at->without = 0;
	for (i = 0; i < count; i++) {
		const struct selfmon_report *const from = files[i].report;

		k = report_column_find(from, to, column);
		if (k == REPORT_NO_COLUMN ||
		    from->column[k].verdict == SELFMON_NOT_COUNTED)
			at->without += (uint32_t)processes_of(from);
		else
			at->without += from->column[k].without;
	}
	put_without(to, at, text);
	REPORT_JOIN(at->reason, "; ", text);
}
