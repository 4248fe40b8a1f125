/* SPDX-License-Identifier: MIT */
/*
 * Writes metrics: in JSON as lists, in CSV as fields after the fields of the
 * events.
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
