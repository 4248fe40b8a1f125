/* SPDX-License-Identifier: MIT */
/* Names of metrics. */
#ifndef SELFMON_REPORT_METRIC_NAME_H
#define SELFMON_REPORT_METRIC_NAME_H

#include "report/metric.h"

void selfmon_ratio_name(const struct selfmon_report *report,
			const struct selfmon_ratio *ratio,
			char name[SELFMON_METRIC_NAME_SIZE]);
/* Sets the two lines of the column heading. The first line may be "". */
void selfmon_ratio_heading(const struct selfmon_report *report,
			   const struct selfmon_ratio *ratio,
			   char heading[2][SELFMON_HEADING_SIZE]);
/*
 * Sets the name of an operand: of an event, "time", "visits", or of a unit,
 * such as "bytes".
 */
void selfmon_ratio_operand(const struct selfmon_report *report,
			   const struct selfmon_ratio *ratio, int operand,
			   char name[SELFMON_EVENT_NAME_SIZE]);

#endif
