/* SPDX-License-Identifier: MIT */
/* Shared by the two halves of the reader. */
#ifndef SELFMON_TOOLS_REPORT_JSON_H
#define SELFMON_TOOLS_REPORT_JSON_H

#include "json_in.h"
#include "report_file.h"

enum selfmon_verdict report_json_verdict(struct json_in *in, json_t *from);
/* Returns a text owned by the file; "" on a fault. */
const char *report_json_text(struct report_file *file, struct json_in *in,
			     json_t *from, const char *key);

/* report_json_rows.c: call it after the columns are read. */
void report_json_rows(struct report_file *file, struct json_in *in);
/* The same for the detached spans, after all else of the report. */
void report_json_async(struct report_file *file, struct json_in *in);

/* report_json_samples.c: call it after the rows are read. */
void report_json_samples(struct report_file *file, struct json_in *in);

#endif
