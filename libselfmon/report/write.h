/* SPDX-License-Identifier: MIT */
/* Writes a view of a report. */
#ifndef SELFMON_REPORT_WRITE_H
#define SELFMON_REPORT_WRITE_H

#include "report/view.h"

/* Names of formats, indexed by enum selfmon_format. */
#define SELFMON_FORMAT_NAMES "text", "json", "csv"
#define SELFMON_FORMAT_LIST "text, json, csv" /* for messages */
#define SELFMON_FORMAT_OUTPUTS "text:FILE, json:FILE, csv:FILE"
#define SELFMON_FORMATS (SELFMON_CSV + 1)

/* Returns 0, -EINVAL, -EIO, or -ENOMEM. */
SELFMON_COLD
int selfmon_report_write_view(const struct selfmon_report *report,
			      enum selfmon_format format,
			      const struct selfmon_view *view, FILE *stream);

#endif
