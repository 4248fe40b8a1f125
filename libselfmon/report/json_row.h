/* SPDX-License-Identifier: MIT */
/* Writes a row of the report as a JSON object. */
#ifndef SELFMON_REPORT_JSON_ROW_H
#define SELFMON_REPORT_JSON_ROW_H

#include <stddef.h>
#include <stdio.h>

struct selfmon_ratios;
struct selfmon_report;

void selfmon_json_row(FILE *stream, const struct selfmon_report *report,
		      const struct selfmon_ratios *ratios, size_t i);

#endif
