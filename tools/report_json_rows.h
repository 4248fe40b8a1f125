/* SPDX-License-Identifier: MIT */
/* Reads the rows of a report in JSON; refuses impossible values. */
#ifndef SELFMON_TOOLS_REPORT_JSON_ROWS_H
#define SELFMON_TOOLS_REPORT_JSON_ROWS_H

#include "json_in.h"
#include "report_file.h"

/* Call it after the columns are read. */
void report_json_rows(struct report_file *file, struct json_in *in);

/* Reads the detached spans. Call it after the rest of the report is read. */
void report_json_async(struct report_file *file, struct json_in *in);

#endif
