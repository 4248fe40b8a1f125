/* SPDX-License-Identifier: MIT */
/* Reads JSON values that several parts of the reader need. */
#ifndef SELFMON_TOOLS_REPORT_JSON_TEXT_H
#define SELFMON_TOOLS_REPORT_JSON_TEXT_H

#include "json_in.h"
#include "report_file.h"

enum selfmon_verdict report_json_verdict(struct json_in *in, json_t *from);

/* Reads a text, which the file owns. Returns "" after an error. */
const char *report_json_text(struct report_file *file, struct json_in *in,
			     json_t *from, const char *key);

#endif
