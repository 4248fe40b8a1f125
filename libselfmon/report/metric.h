/* SPDX-License-Identifier: MIT */
/*
 * Metrics: quotients of two of these: columns, time, visits, units. Which
 * metrics exist depends on the names of the columns and on the units counted.
 */
#ifndef SELFMON_REPORT_METRIC_H
#define SELFMON_REPORT_METRIC_H

#include "report/model.h"

/*
 * At most six for each column (cycles), four for bytes and items, and two for
 * each other unit.
 */
#define SELFMON_RATIOS_MAX                                                     \
	(6 * SELFMON_MAX_COUNTERS + 4 + 2 * (SELFMON_MAX_UNITS - 2))
#define SELFMON_HEADING_SIZE 32

/* Operands of a metric: a column (0 or above), or one of these. */
#define SELFMON_OF_TIME (-1)  /* ns */
#define SELFMON_OF_VISITS (-2)
#define SELFMON_OF_BYTES (-3)
#define SELFMON_OF_ITEMS (-4)
#define SELFMON_OF_WANTED (-5) /* an event that was not requested */
/* Units other than bytes and items. */
#define SELFMON_OF_UNIT(i) (-16 - (int)(i))
#define SELFMON_UNIT_OF(operand) ((size_t)(-16 - (operand)))
#define SELFMON_IS_UNIT(operand) ((operand) <= -16)

struct selfmon_rule;
struct selfmon_ratio {
	const struct selfmon_rule *rule;
	int column;  /* the column to which the metric belongs, or -1 */
	int of, by;
	double factor;
	/* The text report shows the metric beside the column's total. */
	bool beside;
};

struct selfmon_ratios {
	size_t count;
	struct selfmon_ratio ratio[SELFMON_RATIOS_MAX];
};

void selfmon_ratios_find(const struct selfmon_report *report,
			 struct selfmon_ratios *ratios);

#endif
