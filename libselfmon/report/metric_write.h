/* SPDX-License-Identifier: MIT */
/*
 * Writes metrics. In JSON they are lists, in CSV they are fields at the end of
 * each line.
 */
#ifndef SELFMON_REPORT_METRIC_WRITE_H
#define SELFMON_REPORT_METRIC_WRITE_H

#include "report/metric.h"

void selfmon_json_metrics(FILE *stream, const struct selfmon_report *report,
			  const struct selfmon_ratios *ratios);
void selfmon_json_row_metrics(FILE *stream, const struct selfmon_report *report,
			      const struct selfmon_row *row,
			      const struct selfmon_ratios *ratios);
void selfmon_csv_metrics(FILE *stream, const struct selfmon_report *report,
			 const struct selfmon_ratios *ratios);
void selfmon_csv_row_metrics(FILE *stream, const struct selfmon_report *report,
			     const struct selfmon_row *row,
			     const struct selfmon_ratios *ratios);

#endif
