/* SPDX-License-Identifier: MIT */
/* The JSON writer. */
#ifndef SELFMON_REPORT_JSON_H
#define SELFMON_REPORT_JSON_H

#include "report/model.h"

void selfmon_report_json(const struct selfmon_report *report, FILE *stream);

#endif
