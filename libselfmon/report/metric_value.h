/* SPDX-License-Identifier: MIT */
/* The value of a metric in a row. */
#ifndef SELFMON_REPORT_METRIC_VALUE_H
#define SELFMON_REPORT_METRIC_VALUE_H

#include "report/metric.h"

/* Reasons why a row has no value of a metric. */
enum selfmon_absence {
	SELFMON_PRESENT,
	/* The event was not requested or not counted. */
	SELFMON_ABSENT_EVENT,
	/* The operands cover different visits, or may do so. */
	SELFMON_ABSENT_VISITS,
	SELFMON_ABSENT_ZERO,   /* a division by zero */
	SELFMON_ABSENT_RANGE   /* the value does not fit into a double */
};

struct selfmon_ratio_value {
	enum selfmon_absence absence;
	enum selfmon_verdict verdict; /* NOT_COUNTED if there is no value */
	double value, uncertainty;
	char reason[SELFMON_METRIC_REASON_SIZE]; /* "" if present */
};

void selfmon_ratio_of(const struct selfmon_report *report,
		      const struct selfmon_row *row,
		      const struct selfmon_ratio *ratio,
		      struct selfmon_ratio_value *value);
/*
 * If no row can have the metric, sets reason to the name of the missing event
 * and why it is missing; otherwise to "".
 */
void selfmon_ratio_missing(const struct selfmon_report *report,
			   const struct selfmon_ratio *ratio,
			   char reason[SELFMON_METRIC_REASON_SIZE]);

#endif
