/* SPDX-License-Identifier: MIT */
/* Rules from columns to metrics: for metric.c and metric_name.c. */
#ifndef SELFMON_REPORT_METRIC_RULE_H
#define SELFMON_REPORT_METRIC_RULE_H

#include "report/event_kind.h"
#include "report/metric.h"

/* What a metric is about: one event with a number, or a kind of events. */
enum selfmon_rule_kind {
	KIND_EVENT,
	KIND_MISS,    /* divided by accesses, or by instructions */
	KIND_TOPDOWN, /* level 1 or 2: divided by slots */
	KIND_WORK,    /* no column */
	KIND_UNIT     /* a unit that the program named */
};

/* The rule has no event. */
#define NO_EVENT SELFMON_MEANING_NONE
/* Divides by the accesses to which a miss belongs. */
#define BY_TRIES (SELFMON_MEANING_NONE - 1)
#define BY_SLOTS (SELFMON_MEANING_NONE - 2)

struct selfmon_rule {
	enum selfmon_rule_kind kind;
	uint32_t type, config; /* event of the column, which is the dividend */
	/* Event of the divisor; NO_EVENT: see operand. */
	uint32_t by_type, by_config;
	int operand;                 /* the divisor, SELFMON_OF_* */
	bool turned; /* divides the operand by the column instead */
	double factor;
	const char *name; /* %s stands for the name of the event or unit */
	const char *heading[2];
};

/*
 * Finds the event by which a rule divides a column. Returns false if there is
 * none.
 */
bool selfmon_rule_divisor(const struct selfmon_rule *rule,
			  const struct selfmon_event_kind *own, uint32_t *type,
			  uint64_t *config);

#endif
