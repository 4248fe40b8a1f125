/* SPDX-License-Identifier: MIT */
/*
 * Rules that determine which metrics a column has. Used by metric.c and
 * metric_name.c.
 */
#ifndef SELFMON_REPORT_METRIC_RULE_H
#define SELFMON_REPORT_METRIC_RULE_H

#include "report/event_kind.h"
#include "report/metric.h"

/* To which columns or units a rule applies. */
enum selfmon_rule_kind {
	KIND_EVENT,
	/* Any event that counts misses: divided by accesses or instructions. */
	KIND_MISS,
	KIND_TOPDOWN, /* shares of levels 1 and 2: divided by slots */
	KIND_WORK,    /* bytes or items with time; no column */
	KIND_UNIT     /* a unit that the program named */
};

/* Value of by_type: the divisor is not an event. */
#define NO_EVENT SELFMON_MEANING_NONE
/*
 * Value of by_type: the divisor is the event that counts the accesses for this
 * miss.
 */
#define BY_TRIES (SELFMON_MEANING_NONE - 1)
#define BY_SLOTS (SELFMON_MEANING_NONE - 2)

struct selfmon_rule {
	enum selfmon_rule_kind kind;
	uint32_t type, config; /* event of the column, which is the dividend */
	/* Event of the divisor. With NO_EVENT the divisor is `operand`. */
	uint32_t by_type, by_config;
	/*
	 * SELFMON_OF_*: the divisor, if it is not an event. KIND_WORK has no
	 * column: the operand is divided by the time.
	 */
	int operand;
	bool turned; /* exchanges dividend and divisor */
	double factor;
	const char *name; /* %s is replaced by the name of the event or unit */
	const char *heading[2];
};

/*
 * Finds the event by which a rule divides a column. Sets *type to NO_EVENT if
 * the divisor is not an event. Returns false if no event counts the accesses
 * for a miss.
 */
bool selfmon_rule_divisor(const struct selfmon_rule *rule,
			  const struct selfmon_event_kind *own, uint32_t *type,
			  uint64_t *config);

#endif
