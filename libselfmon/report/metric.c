/* SPDX-License-Identifier: MIT */
#include "report/metric.h"

#include <linux/perf_event.h>
#include <string.h>

#include "report/event_kind.h"
#include "report/metric_rule.h"
#include "report/units.h"

#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SW(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
#define BY_EVENT(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, 0, false
#define BY(what) NO_EVENT, 0, SELFMON_OF_##what, false
#define TURNED(what) NO_EVENT, 0, SELFMON_OF_##what, true

static const struct selfmon_rule rules[] = {
	{ KIND_EVENT, HW(INSTRUCTIONS), BY_EVENT(CPU_CYCLES), 1, "IPC",
	  { "", "IPC" } },
	{ KIND_EVENT, HW(CPU_CYCLES), BY(TIME), 1, "GHz", { "", "GHz" } },
	{ KIND_EVENT, HW(CPU_CYCLES), BY(VISITS), 1, "cycles/visit",
	  { "cycles", "/visit" } },
	{ KIND_EVENT, HW(CPU_CYCLES), BY(BYTES), 1, "cycles/byte",
	  { "cycles", "/byte" } },
	{ KIND_EVENT, HW(CPU_CYCLES), TURNED(BYTES), 1, "bytes/cycle",
	  { "bytes", "/cycle" } },
	{ KIND_EVENT, HW(CPU_CYCLES), BY(ITEMS), 1, "cycles/item",
	  { "cycles", "/item" } },
	{ KIND_EVENT, HW(STALLED_CYCLES_FRONTEND), BY_EVENT(CPU_CYCLES), 100,
	  "frontend-stalls%", { "frontend", "stall%" } },
	{ KIND_EVENT, HW(STALLED_CYCLES_BACKEND), BY_EVENT(CPU_CYCLES), 100,
	  "backend-stalls%", { "backend", "stall%" } },
	{ KIND_EVENT, SW(PAGE_FAULTS), BY(TIME), 1e9, "page-faults/s",
	  { "page-", "faults/s" } },
	{ KIND_EVENT, SW(PAGE_FAULTS_MIN), BY(TIME), 1e9, "minor-faults/s",
	  { "minor-", "faults/s" } },
	{ KIND_EVENT, SW(PAGE_FAULTS_MAJ), BY(TIME), 1e9, "major-faults/s",
	  { "major-", "faults/s" } },
	{ KIND_EVENT, SW(TASK_CLOCK), BY(TIME), 100, "CPU%", { "", "CPU%" } },
	{ KIND_MISS, 0, 0, BY_TRIES, 0, 0, false, 100, "%s%",
	  { "%s", "miss%" } },
	{ KIND_MISS, 0, 0, BY_EVENT(INSTRUCTIONS), 1000, "%s MPKI",
	  { "%s", "MPKI" } },
	{ KIND_TOPDOWN, 0, 0, BY_SLOTS, 0, 0, false, 100, "%s%",
	  { "%s", "slots%" } },
	{ KIND_WORK, 0, 0, TURNED(BYTES), 1, "ns/byte", { "", "ns/byte" } },
	{ KIND_WORK, 0, 0, BY(BYTES), 1, "GB/s", { "", "GB/s" } },
	{ KIND_WORK, 0, 0, TURNED(ITEMS), 1, "ns/item", { "", "ns/item" } },
	{ KIND_WORK, 0, 0, BY(ITEMS), 1e9, "items/s", { "", "items/s" } },
};

static const struct selfmon_rule of_time = { KIND_UNIT,	    0,	 0,
					     BY(TIME),	    1e9, "%s/s",
					     { "%s", "/s" } };
static const struct selfmon_rule of_instructions = {
	KIND_UNIT,	   0, 0, BY_EVENT(INSTRUCTIONS), 1, "%s/instruction",
	{ "%s", "/instr" }
};

#define RULES (sizeof(rules) / sizeof(rules[0]))
#define RULE_IPC (&rules[0])

struct finder {
	const struct selfmon_report *report;
	struct selfmon_ratios *ratios;
	struct selfmon_event_kind meaning[SELFMON_MAX_COUNTERS];
	bool bytes, items; /* counted in any row */
};

static bool alike(const struct finder *finder, size_t a, size_t b)
{
	const struct selfmon_report_column *column = finder->report->column;

	return column[a].kernel == column[b].kernel &&
	       selfmon_event_kind_alike(&finder->meaning[a],
					&finder->meaning[b]);
}

static bool is_event(const struct finder *finder, size_t i, uint32_t type,
		     uint64_t config)
{
	const struct selfmon_event_kind *meaning = &finder->meaning[i];

	if (type == BY_SLOTS)
		return meaning->core_length == 5 &&
		       selfmon_event_kind_begins(meaning, "slots");
	return meaning->type == type && meaning->config == config;
}

/*
 * Finds the column of an event with the same PMU and modes as column i. Prefers
 * a column that has values. Returns -1 if there is none.
 */
static int column_of(const struct finder *finder, size_t i, uint32_t type,
		     uint64_t config)
{
	const struct selfmon_report *report = finder->report;
	int found = -1;
	size_t k;

	for (k = 0; k < report->columns; k++) {
		if (!is_event(finder, k, type, config) || !alike(finder, i, k))
			continue;
		if (report->column[k].verdict != SELFMON_NOT_COUNTED)
			return (int)k;
		if (found < 0)
			found = (int)k;
	}
	return found;
}

/*
 * Returns true for top-down events that are shares of slots, levels 1 and 2.
 * Returns false for the top-down events of older CPUs, which are not shares.
 */
static bool is_share(const struct selfmon_event_kind *own)
{
	static const char *const name[] = {
		"topdown-retiring", "topdown-bad-spec", "topdown-fe-bound",
		"topdown-be-bound", "topdown-heavy-ops", "topdown-br-mispredict",
		"topdown-fetch-lat", "topdown-mem-bound",
	};
	size_t i;

	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (strlen(name[i]) == own->core_length &&
		    selfmon_event_kind_begins(own, name[i]))
			return true;
	return false;
}

/*
 * Returns true if the rule makes a rate per cycle or per time, and there are
 * columns for another type of core. The rate would then be wrong, since this
 * type's cycles cover only a part of the time and of the work.
 */
static bool is_part(const struct finder *finder,
		    const struct selfmon_rule *rule, size_t i)
{
	const struct selfmon_event_kind *own = &finder->meaning[i];
	size_t k;

	if (rule->kind != KIND_EVENT || rule->type != PERF_TYPE_HARDWARE ||
	    (rule->operand != SELFMON_OF_TIME && !rule->turned))
		return false;
	for (k = 0; k < finder->report->columns; k++) {
		const struct selfmon_event_kind *other = &finder->meaning[k];

		if (own->pmu_length && other->pmu_length &&
		    (own->pmu_length != other->pmu_length ||
		     memcmp(own->pmu, other->pmu, own->pmu_length)))
			return true;
	}
	return false;
}

static bool applies(const struct finder *finder,
		    const struct selfmon_rule *rule, size_t i)
{
	const struct selfmon_event_kind *own = &finder->meaning[i];

	if (rule->operand == SELFMON_OF_BYTES && !finder->bytes)
		return false;
	if (rule->operand == SELFMON_OF_ITEMS && !finder->items)
		return false;
	if (is_part(finder, rule, i))
		return false;
	switch (rule->kind) {
	case KIND_EVENT:
		return is_event(finder, i, rule->type, rule->config);
	case KIND_MISS:
		return selfmon_event_kind_is_miss(own);
	case KIND_TOPDOWN:
		return is_share(own);
	default:
		return false;
	}
}

static struct selfmon_ratio *add(struct finder *finder,
				 const struct selfmon_rule *rule, int column)
{
	struct selfmon_ratio *ratio =
		&finder->ratios->ratio[finder->ratios->count++];

	*ratio = (struct selfmon_ratio){ .rule = rule,
					 .column = column,
					 .factor = rule->factor };
	return ratio;
}

static void add_of_event(struct finder *finder, const struct selfmon_rule *rule,
			 size_t i)
{
	struct selfmon_ratio *ratio;
	int other = rule->operand;
	uint64_t config;
	uint32_t type;

	if (!selfmon_rule_divisor(rule, &finder->meaning[i], &type, &config))
		return;
	if (type != NO_EVENT)
		other = column_of(finder, i, type, config);
	ratio = add(finder, rule, (int)i);
	if (type != NO_EVENT && other < 0)
		other = SELFMON_OF_WANTED;
	ratio->of = rule->turned ? other : (int)i;
	ratio->by = rule->turned ? (int)i : other;
}

/*
 * Marks the metric that is shown beside the event's total. For instructions
 * this is the IPC. For a miss it is the first metric whose divisor was counted:
 * the miss rate, or else the misses per 1000 instructions. All other metrics
 * are in a separate table.
 */
static void place(struct finder *finder, size_t first)
{
	const struct selfmon_report *report = finder->report;
	struct selfmon_ratio *ratio = finder->ratios->ratio;
	size_t i;

	for (i = first; i < finder->ratios->count; i++) {
		if (ratio[i].rule != RULE_IPC &&
		    ratio[i].rule->kind != KIND_MISS)
			continue;
		if (ratio[i].by < 0 || report->column[ratio[i].by].verdict ==
					       SELFMON_NOT_COUNTED)
			continue;
		ratio[i].beside = true;
		return;
	}
}

static bool is_same(const struct selfmon_event_kind *a,
		    const struct selfmon_event_kind *b)
{
	if (a->type != SELFMON_MEANING_NONE)
		return a->type == b->type && a->config == b->config;
	return b->type == SELFMON_MEANING_NONE &&
	       a->core_length == b->core_length &&
	       !memcmp(a->core, b->core, a->core_length);
}

/*
 * Returns true if another column has the same event and is preferred: because
 * only the other column was counted, or else because it comes first. The
 * metrics then belong to the other column.
 */
static bool is_double(const struct finder *finder, size_t i)
{
	const struct selfmon_report_column *column = finder->report->column;
	const bool out = column[i].verdict == SELFMON_NOT_COUNTED;
	size_t k;

	for (k = 0; k < finder->report->columns; k++) {
		const bool other_out = column[k].verdict == SELFMON_NOT_COUNTED;

		if (k != i && alike(finder, k, i) &&
		    is_same(&finder->meaning[k], &finder->meaning[i]) &&
		    (out == other_out ? k < i : out))
			return true;
	}
	return false;
}

static void add_column(struct finder *finder, size_t i)
{
	const size_t first = finder->ratios->count;
	size_t k;

	if (is_double(finder, i))
		return;
	for (k = 0; k < RULES; k++)
		if (applies(finder, &rules[k], i))
			add_of_event(finder, &rules[k], i);
	place(finder, first);
	if (is_event(finder, i, HW(CPU_CYCLES)) &&
	    column_of(finder, i, HW(INSTRUCTIONS)) < 0) {
		struct selfmon_ratio *ipc = add(finder, RULE_IPC, (int)i);

		ipc->of = SELFMON_OF_WANTED;
		ipc->by = (int)i;
	}
}

static void add_work(struct finder *finder)
{
	size_t k;

	for (k = 0; k < RULES; k++) {
		struct selfmon_ratio *ratio;

		if (rules[k].kind != KIND_WORK ||
		    !(rules[k].operand == SELFMON_OF_BYTES ? finder->bytes
							   : finder->items))
			continue;
		ratio = add(finder, &rules[k], -1);
		ratio->of = rules[k].turned ? SELFMON_OF_TIME
					    : rules[k].operand;
		ratio->by = rules[k].turned ? rules[k].operand
					    : SELFMON_OF_TIME;
	}
}

/*
 * Returns the column that counts instructions on all cores, or -1. Machines
 * with several core types have no such column.
 */
static int instructions_of(const struct finder *finder)
{
	const struct selfmon_report *const report = finder->report;
	size_t i;

	for (i = 0; i < report->columns; i++)
		if (is_event(finder, i, HW(INSTRUCTIONS)) &&
		    !finder->meaning[i].pmu_length &&
		    report->column[i].verdict != SELFMON_NOT_COUNTED)
			return (int)i;
	return -1;
}

static void add_units(struct finder *finder)
{
	const int instructions = instructions_of(finder);
	struct selfmon_ratio *ratio;
	size_t i;

	for (i = SELFMON_IMPL_ITEMS + 1; i < finder->report->units; i++) {
		if (!selfmon_unit_is_used(finder->report, i))
			continue;
		ratio = add(finder, &of_time, -1);
		ratio->of = SELFMON_OF_UNIT(i);
		ratio->by = SELFMON_OF_TIME;
		if (instructions < 0)
			continue;
		ratio = add(finder, &of_instructions, -1);
		ratio->of = SELFMON_OF_UNIT(i);
		ratio->by = instructions;
	}
}

void selfmon_ratios_find(const struct selfmon_report *report,
			 struct selfmon_ratios *ratios)
{
	struct finder finder = { .report = report, .ratios = ratios };
	size_t i;

	ratios->count = 0;
	for (i = 0; i < report->rows; i++) {
		finder.bytes = finder.bytes || report->row[i].bytes;
		finder.items = finder.items || report->row[i].items;
	}
	for (i = 0; i < report->columns; i++)
		selfmon_event_kind_of(report->column[i].name,
				      &finder.meaning[i]);
	for (i = 0; i < report->columns; i++)
		add_column(&finder, i);
	add_work(&finder);
	add_units(&finder);
}
