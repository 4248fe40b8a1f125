/* SPDX-License-Identifier: MIT */
/* A report's public face: rows, columns, and the writer of each format. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/model.h"
#include "report/recorded.h"

int selfmon_report_write(const struct selfmon_report *report,
			 enum selfmon_format format, FILE *stream)
{
	if (!report || !stream)
		return -EINVAL;
	switch (format) {
	case SELFMON_TEXT:
		selfmon_report_text(report, stream);
		break;
	case SELFMON_JSON:
		selfmon_report_json(report, stream);
		break;
	case SELFMON_CSV:
		selfmon_report_csv(report, stream);
		break;
	default:
		return -EINVAL;
	}
	return ferror(stream) ? -EIO : 0;
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
	selfmon_recorded_free(report->recorded);
	free(report->process);
	free(report->region);
	free(report->row);
	free(report);
}
