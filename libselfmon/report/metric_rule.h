/* SPDX-License-Identifier: MIT */
/* How metrics follow from columns: for metric.c and metric_name.c. */
#ifndef SELFMON_REPORT_METRIC_RULE_H
#define SELFMON_REPORT_METRIC_RULE_H

#include "report/meaning.h"
#include "report/metric.h"

/* What a metric is of: an event with a number, or a kind of events. */
enum selfmon_rule_kind {
	KIND_EVENT,
	KIND_MISS,    /* divided by tries, or by instructions */
	KIND_TOPDOWN, /* level 1 or 2: divided by slots */
	KIND_WORK     /* no column */
};

/* What is not an event. */
#define NO_EVENT SELFMON_MEANING_NONE
/* The tries that belong to a miss. */
#define BY_TRIES (SELFMON_MEANING_NONE - 1)
#define BY_SLOTS (SELFMON_MEANING_NONE - 2)

struct selfmon_rule {
	enum selfmon_rule_kind kind;
	uint32_t type, config;       /* the column that has it */
	uint32_t by_type, by_config; /* NO_EVENT: by operand */
	int operand;                 /* the other one, SELFMON_OF_* */
	bool turned;                 /* operand / column */
	double factor;
	const char *name;            /* "%s": the event's */
	const char *heading[2];
};

/* The event that a rule divides a column by; false: it has none. */
bool selfmon_rule_divisor(const struct selfmon_rule *rule,
			  const struct selfmon_meaning *own, uint32_t *type,
			  uint64_t *config);

#endif
