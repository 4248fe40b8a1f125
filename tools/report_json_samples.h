/* SPDX-License-Identifier: MIT */
/* Reads the samples of a report in JSON, and refuses impossible values. */
#ifndef SELFMON_TOOLS_REPORT_JSON_SAMPLES_H
#define SELFMON_TOOLS_REPORT_JSON_SAMPLES_H

#include "json_in.h"
#include "report_file.h"

/* Reads the samples. Call this after the rows and the spans are read. */
void report_json_samples(struct report_file *file, struct json_in *in);

#endif
