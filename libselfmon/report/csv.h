/* SPDX-License-Identifier: MIT */
/* The CSV writer. */
#ifndef SELFMON_REPORT_CSV_H
#define SELFMON_REPORT_CSV_H

#include "report/model.h"

void selfmon_report_csv(const struct selfmon_report *report, FILE *stream);

#endif
