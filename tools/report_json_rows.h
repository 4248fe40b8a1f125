/* SPDX-License-Identifier: MIT */
/* Reads the rows of a report in JSON, and refuses impossible values. */
#ifndef SELFMON_TOOLS_REPORT_JSON_ROWS_H
#define SELFMON_TOOLS_REPORT_JSON_ROWS_H

#include "json_in.h"
#include "report_file.h"

/* Reads the rows. Call this after the columns are read. */
void report_json_rows(struct report_file *file, struct json_in *in);

/*
 * Reads the detached spans. Call this after the header, the columns and the
 * units are read.
 */
void report_json_async(struct report_file *file, struct json_in *in);

#endif
