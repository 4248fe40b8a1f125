/* SPDX-License-Identifier: MIT */
/* What the two halves of the reader share. */
#ifndef SELFMON_TOOLS_REPORT_JSON_H
#define SELFMON_TOOLS_REPORT_JSON_H

#include "json_in.h"
#include "report_file.h"

enum selfmon_verdict report_json_verdict(struct json_in *in, json_t *from);
/* Kept by the file; "" with a fault. */
const char *report_json_text(struct report_file *file, struct json_in *in,
			     json_t *from, const char *key);

/* report_json_rows.c: once the columns are known. */
void report_json_rows(struct report_file *file, struct json_in *in);

#endif
