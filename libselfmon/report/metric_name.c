/* SPDX-License-Identifier: MIT */
#include "report/metric_name.h"

#include <stdio.h>
#include <string.h>

#include "event/generic.h"
#include "report/metric_rule.h"

/* Fills in the text of a rule: replaces %s by the name of the event or unit. */
static void fill(char *to, size_t size, const char *text,
		 const struct selfmon_event_kind *own)
{
	const char *const mark = strstr(text, "%s");

	if (!mark)
		snprintf(to, size, "%s", text);
	else
		snprintf(to, size, "%.*s%s", (int)own->core_length, own->core,
			 mark + 2);
}

/* Finds the event or unit whose name replaces the %s of a rule. */
static void subject_of(const struct selfmon_report *report,
		       const struct selfmon_ratio *ratio,
		       struct selfmon_event_kind *own)
{
	*own = (struct selfmon_event_kind){ .pmu = "", .modifiers = "" };
	if (ratio->column >= 0)
		selfmon_event_kind_of(report->column[ratio->column].name, own);
	if (!SELFMON_IS_UNIT(ratio->of))
		return;
	own->core = report->unit[SELFMON_UNIT_OF(ratio->of)];
	own->core_length = strlen(own->core);
}

/* Writes event names like perf: the PMU in front, the modes at the end. */
void selfmon_ratio_name(const struct selfmon_report *report,
			const struct selfmon_ratio *ratio,
			char name[SELFMON_METRIC_NAME_SIZE])
{
	char core[SELFMON_METRIC_NAME_SIZE];
	struct selfmon_event_kind own;

	subject_of(report, ratio, &own);
	fill(core, sizeof(core), ratio->rule->name, &own);
	if (snprintf(name, SELFMON_METRIC_NAME_SIZE, "%.*s%s%s%s%s",
		     (int)own.pmu_length, own.pmu, own.pmu_length ? "/" : "",
		     core, own.pmu_length ? "/" : *own.modifiers ? ":" : "",
		     own.modifiers) < 0)
		name[0] = '\0';
}

void selfmon_ratio_heading(const struct selfmon_report *report,
			   const struct selfmon_ratio *ratio,
			   char heading[2][SELFMON_HEADING_SIZE])
{
	struct selfmon_event_kind own;
	size_t i;

	subject_of(report, ratio, &own);
	if (ratio->rule->kind == KIND_TOPDOWN) {
		own.core += strlen("topdown-");
		own.core_length -= strlen("topdown-");
	}
	for (i = 0; i < 2; i++)
		fill(heading[i], SELFMON_HEADING_SIZE, ratio->rule->heading[i],
		     &own);
	if (ratio->beside)
		heading[0][0] = '\0';
}

static void wanted_name(const struct selfmon_report *report,
			const struct selfmon_ratio *ratio, char *name)
{
	struct selfmon_event_kind own;
	struct selfmon_event event;
	uint64_t config;
	uint32_t type;
	size_t i;

	selfmon_event_kind_of(report->column[ratio->column].name, &own);
	selfmon_rule_divisor(ratio->rule, &own, &type, &config);
	if (ratio->of == SELFMON_OF_WANTED) {
		type = ratio->rule->type;
		config = ratio->rule->config;
	}
	snprintf(name, SELFMON_EVENT_NAME_SIZE, "slots");
	for (i = 0; selfmon_generic_at(i, &event); i++) {
		if (event.type != type || event.config != config)
			continue;
		snprintf(name, SELFMON_EVENT_NAME_SIZE, "%s", event.name);
		return;
	}
}

void selfmon_ratio_operand(const struct selfmon_report *report,
			   const struct selfmon_ratio *ratio, int operand,
			   char name[SELFMON_EVENT_NAME_SIZE])
{
	static const char *const plain[] = { "", "time", "visits", "bytes",
					     "items" };

	const char *known;

	if (operand == SELFMON_OF_WANTED) {
		wanted_name(report, ratio, name);
		return;
	}
	if (operand >= 0)
		known = report->column[operand].name;
	else if ((size_t)-operand < sizeof(plain) / sizeof(plain[0]))
		known = plain[-operand];
	else
		known = report->unit[SELFMON_UNIT_OF(operand)];
	snprintf(name, SELFMON_EVENT_NAME_SIZE, "%s", known);
}
