/* SPDX-License-Identifier: MIT */
/* A report's public face: rows, columns, and the writer of each format. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/recorded.h"
#include "report/text.h"
#include "report/view.h"

static int write_viewed(const struct selfmon_view *view,
			struct selfmon_viewed *viewed,
			enum selfmon_format format, FILE *stream)
{
	int error = 0;

	if (viewed->made && view->columns[0] && format != SELFMON_TEXT)
		selfmon_view_drop_columns(viewed->made, &viewed->shown);
	if (format == SELFMON_TEXT)
		error = selfmon_report_text(viewed, stream);
	else if (format == SELFMON_JSON)
		selfmon_report_json(viewed->report, stream);
	else
		selfmon_report_csv(viewed->report, stream);
	return error ? error : ferror(stream) ? -EIO : 0;
}

int selfmon_report_write_view(const struct selfmon_report *report,
			      enum selfmon_format format,
			      const struct selfmon_view *view, FILE *stream)
{
	struct selfmon_viewed viewed;
	size_t rows = 0, beyond = 0;
	int error;

	if (!report || !stream || (unsigned int)format > SELFMON_CSV)
		return -EINVAL;
	if (format == SELFMON_TEXT && !view->limited)
		selfmon_text_rows(view, report, &rows, &beyond);
	error = selfmon_view_make(view, report, rows, beyond, &viewed);
	if (!error)
		error = write_viewed(view, &viewed, format, stream);
	selfmon_view_free(&viewed);
	return error;
}

int selfmon_report_write(const struct selfmon_report *report,
			 enum selfmon_format format, FILE *stream)
{
	const struct selfmon_view all = { .flat = false };

	return selfmon_report_write_view(report, format, &all, stream);
}

size_t selfmon_report_rows(const struct selfmon_report *report)
{
	return report->rows;
}

const struct selfmon_row *selfmon_report_row(const struct selfmon_report *report,
					     size_t i)
{
	return i < report->rows ? &report->row[i] : NULL;
}

/* Rows come parents first: what is deeper than the match is below another. */
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

void selfmon_report_free(struct selfmon_report *report)
{
	size_t i;

	if (!report)
		return;
	for (i = 0; i < report->regions; i++)
		free(report->region[i]);
	for (i = 0; report->detail && i < report->rows; i++)
		free(report->detail[i].bucket);
	free(report->detail);
	selfmon_view_empty_free(report->apart);
	selfmon_recorded_free(report->recorded);
	free(report->process);
	free(report->region);
	free(report->row);
	free(report);
}
