/* SPDX-License-Identifier: MIT */
/* Reads a report from the JSON that libselfmon/report/json.c writes. */
#ifndef SELFMON_TOOLS_REPORT_JSON_H
#define SELFMON_TOOLS_REPORT_JSON_H

#include "report_file.h"

/*
 * Parses a text of `size` bytes with a terminating 0. Returns 0, or TOOL_NO
 * with a message.
 */
int report_json_read(struct report_file *file, const char *text, size_t size);

#endif
