/* SPDX-License-Identifier: MIT */
/*
 * Metrics: what the columns of a report make together, and what of a row they
 * come to. Which there are follows from the names of the columns and from the
 * work that was told of; all writers ask here.
 */
#ifndef SELFMON_REPORT_METRIC_H
#define SELFMON_REPORT_METRIC_H

#include "report/model.h"

/* At most six of a column (cycles), four of work without one. */
#define SELFMON_RATIOS_MAX (6 * SELFMON_MAX_COUNTERS + 4)
#define SELFMON_HEADING_SIZE 32

/* What is divided by what: a column from 0 on, or one of these. */
#define SELFMON_OF_TIME (-1)  /* ns */
#define SELFMON_OF_VISITS (-2)
#define SELFMON_OF_BYTES (-3)
#define SELFMON_OF_ITEMS (-4)
#define SELFMON_OF_WANTED (-5) /* an event nobody asked for */

struct selfmon_rule;
struct selfmon_ratio {
	const struct selfmon_rule *rule;
	int column;  /* whose it is, or -1 */
	int of, by;
	double factor;
	bool beside; /* in text it stands behind its column's total */
};

struct selfmon_ratios {
	size_t count;
	struct selfmon_ratio ratio[SELFMON_RATIOS_MAX];
};

/* metric.c */
void selfmon_ratios_find(const struct selfmon_report *report,
			 struct selfmon_ratios *ratios);

/* metric_name.c */
void selfmon_ratio_name(const struct selfmon_report *report,
			const struct selfmon_ratio *ratio,
			char name[SELFMON_METRIC_NAME_SIZE]);
/* Two lines; the first may be "". */
void selfmon_ratio_heading(const struct selfmon_report *report,
			   const struct selfmon_ratio *ratio,
			   char heading[2][SELFMON_HEADING_SIZE]);
/* "cycles", "time", "visits", "bytes", "items". */
void selfmon_ratio_operand(const struct selfmon_report *report,
			   const struct selfmon_ratio *ratio, int operand,
			   char name[SELFMON_EVENT_NAME_SIZE]);

/* Why a row has no value of a ratio. */
enum selfmon_absence {
	SELFMON_PRESENT,
	SELFMON_ABSENT_EVENT,  /* not asked for, or not counted */
	SELFMON_ABSENT_VISITS, /* counted in other visits, or it is not known */
	SELFMON_ABSENT_ZERO,   /* a division by zero */
	SELFMON_ABSENT_RANGE   /* beyond what a number can be */
};

struct selfmon_ratio_value {
	enum selfmon_absence absence;
	enum selfmon_verdict verdict; /* NOT_COUNTED if it is absent */
	double value, uncertainty;
	char reason[SELFMON_METRIC_REASON_SIZE]; /* "" if it is not absent */
};

/* metric_value.c */
void selfmon_ratio_of(const struct selfmon_report *report,
		      const struct selfmon_row *row,
		      const struct selfmon_ratio *ratio,
		      struct selfmon_ratio_value *value);
/* Why no row can have it: one of its events; "" if both are there. */
void selfmon_ratio_missing(const struct selfmon_report *report,
			   const struct selfmon_ratio *ratio,
			   char reason[SELFMON_METRIC_REASON_SIZE]);

/* metric_write.c: in JSON, lists; in CSV, fields behind a line's others. */
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
