/* SPDX-License-Identifier: MIT */
/* Reads the slowest visits of a report in JSON. */
#ifndef SELFMON_TOOLS_REPORT_JSON_SLOWEST_H
#define SELFMON_TOOLS_REPORT_JSON_SLOWEST_H

#include "json_in.h"
#include "report_file.h"

/*
 * Returns how many texts report_json_slowest() will read, for the array
 * file->text.
 */
size_t report_json_slowest_texts(const json_t *root);
/* Reads the slowest visits. Call this after the columns are read. */
void report_json_slowest(struct report_file *file, struct json_in *in);

#endif
