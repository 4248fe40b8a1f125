/* SPDX-License-Identifier: MIT */
/*
 * Metrics: quotients of a report's columns. The names of the columns and the
 * units counted decide which metrics exist.
 */
#ifndef SELFMON_REPORT_METRIC_H
#define SELFMON_REPORT_METRIC_H

#include "report/model.h"

/*
 * At most six per column (cycles), four for bytes and items without any column,
 * and two for each other unit.
 */
#define SELFMON_RATIOS_MAX                                                     \
	(6 * SELFMON_MAX_COUNTERS + 4 + 2 * (SELFMON_MAX_UNITS - 2))
#define SELFMON_HEADING_SIZE 32

/* Operands: a column from 0 on, or one of these. */
#define SELFMON_OF_TIME (-1)  /* ns */
#define SELFMON_OF_VISITS (-2)
#define SELFMON_OF_BYTES (-3)
#define SELFMON_OF_ITEMS (-4)
#define SELFMON_OF_WANTED (-5) /* divisor: an event that was not requested */
#define SELFMON_OF_UNIT(i) (-16 - (int)(i)) /* but bytes and items */
#define SELFMON_UNIT_OF(operand) ((size_t)(-16 - (operand)))
#define SELFMON_IS_UNIT(operand) ((operand) <= -16)

struct selfmon_rule;
struct selfmon_ratio {
	const struct selfmon_rule *rule;
	int column;  /* the column to which it belongs, or -1 */
	int of, by;
	double factor;
	bool beside; /* the text report shows it beside the column's total */
};

struct selfmon_ratios {
	size_t count;
	struct selfmon_ratio ratio[SELFMON_RATIOS_MAX];
};

void selfmon_ratios_find(const struct selfmon_report *report,
			 struct selfmon_ratios *ratios);

#endif
