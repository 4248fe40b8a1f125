/* SPDX-License-Identifier: MIT */
/* Writes a report, or a view of it, in any format. */
#include "report/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"
#include "report/json.h"
#include "report/recorded.h"
#include "report/text.h"
#include "report/text_rows.h"
#include "report/view.h"
#include "report/view_columns.h"
#include "report/view_rows.h"

static int write_viewed(const struct selfmon_view *view,
			struct selfmon_viewed *viewed,
			enum selfmon_format format, FILE *stream)
{
	int error = 0;

	if (viewed->made && view->columns[0] && format != SELFMON_TEXT)
		selfmon_view_drop_columns(viewed->made, &viewed->shown);
	/* Without a default, so that compilers warn of a missing format. */
	switch (format) {
	case SELFMON_TEXT:
		error = selfmon_report_text(viewed, stream);
		break;
	case SELFMON_JSON:
		selfmon_report_json(viewed->report, stream);
		break;
	case SELFMON_CSV:
		selfmon_report_csv(viewed->report, stream);
		break;
	}
	return error ? error : ferror(stream) ? -EIO : 0;
}

int selfmon_report_write_view(const struct selfmon_report *report,
			      enum selfmon_format format,
			      const struct selfmon_view *view, FILE *stream)
{
	struct selfmon_viewed viewed;
	size_t rows = 0, beyond = 0;
	int error;

	if (!report || !stream || (unsigned int)format >= SELFMON_FORMATS)
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
