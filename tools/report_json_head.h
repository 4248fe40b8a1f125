/* SPDX-License-Identifier: MIT */
/* Reads the header and the list of processes of a report in JSON. */
#ifndef SELFMON_TOOLS_REPORT_JSON_HEAD_H
#define SELFMON_TOOLS_REPORT_JSON_HEAD_H

#include "json_in.h"
#include "report_file.h"

void report_json_head(struct json_in *in, struct selfmon_report *to);

#endif
