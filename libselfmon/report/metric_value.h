/* SPDX-License-Identifier: MIT */
/* The value of a metric in a row. */
#ifndef SELFMON_REPORT_METRIC_VALUE_H
#define SELFMON_REPORT_METRIC_VALUE_H

#include "report/metric.h"

/* Reasons why a row has no value of a ratio. */
enum selfmon_absence {
	SELFMON_PRESENT,
	SELFMON_ABSENT_EVENT,  /* not requested, or not counted */
	SELFMON_ABSENT_VISITS, /* counted in other visits, or possibly so */
	SELFMON_ABSENT_ZERO,   /* a division by zero */
	SELFMON_ABSENT_RANGE   /* exceeds the range of a number */
};

struct selfmon_ratio_value {
	enum selfmon_absence absence;
	enum selfmon_verdict verdict; /* NOT_COUNTED if absent */
	double value, uncertainty;
	char reason[SELFMON_METRIC_REASON_SIZE]; /* "" if present */
};

void selfmon_ratio_of(const struct selfmon_report *report,
		      const struct selfmon_row *row,
		      const struct selfmon_ratio *ratio,
		      struct selfmon_ratio_value *value);
/* Names the missing event if no row can have the ratio, else returns "". */
void selfmon_ratio_missing(const struct selfmon_report *report,
			   const struct selfmon_ratio *ratio,
			   char reason[SELFMON_METRIC_REASON_SIZE]);

#endif
