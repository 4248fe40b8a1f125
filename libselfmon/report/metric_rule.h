/* SPDX-License-Identifier: MIT */
/* Rules from columns to metrics: for metric.c and metric_name.c. */
#ifndef SELFMON_REPORT_METRIC_RULE_H
#define SELFMON_REPORT_METRIC_RULE_H

#include "report/event_kind.h"
#include "report/metric.h"

/* The subject of a metric: one event with a number, or a kind of events. */
enum selfmon_rule_kind {
	KIND_EVENT,
	KIND_MISS,    /* divided by accesses, or by instructions */
	KIND_TOPDOWN, /* level 1 or 2: divided by slots */
	KIND_WORK,    /* no column */
	KIND_UNIT     /* a unit that the program named */
};

/* The rule has no event. */
#define NO_EVENT SELFMON_MEANING_NONE
/* The accesses that belong to a miss. */
#define BY_TRIES (SELFMON_MEANING_NONE - 1)
#define BY_SLOTS (SELFMON_MEANING_NONE - 2)

struct selfmon_rule {
	enum selfmon_rule_kind kind;
	uint32_t type, config;       /* the column's event: the dividend */
	uint32_t by_type, by_config; /* the divisor; NO_EVENT: see operand */
	int operand;                 /* the divisor, SELFMON_OF_* */
	bool turned;                 /* divides operand by column instead */
	double factor;
	const char *name; /* "%s": the event's or the unit's name */
	const char *heading[2];
};

/* Finds the event that a rule divides a column by; false: there is none. */
bool selfmon_rule_divisor(const struct selfmon_rule *rule,
			  const struct selfmon_event_kind *own, uint32_t *type,
			  uint64_t *config);

#endif
