/* SPDX-License-Identifier: MIT */
/* Writes the marks of metrics, and the reasons for missing values. */
#ifndef SELFMON_REPORT_TEXT_METRICS_H
#define SELFMON_REPORT_TEXT_METRICS_H

#include "report/text.h"

unsigned int selfmon_ratio_marks(struct selfmon_text *text,
				 const struct selfmon_row *row,
				 const struct selfmon_ratio *ratio);
void selfmon_text_metric_reasons(struct selfmon_text *text);

#endif
