/* SPDX-License-Identifier: MIT */
#include "report/event_kind.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <string.h>

#include "event/generic.h"

/*
 * Modifier letters of perf. In a name without slashes they follow the last
 * colon.
 */
#define MODIFIERS "ukhpPSDIGHWeb"

/*
 * Vendors' names of the generalised events (perf list, libpfm4). A dot in this
 * table stands for any separator of event and unit mask.
 */
static const struct {
	const char *name;
	uint32_t config;
} vendors[] = {
	{ "inst_retired", PERF_COUNT_HW_INSTRUCTIONS },
	{ "inst_retired.any", PERF_COUNT_HW_INSTRUCTIONS },
	{ "inst_retired.any_p", PERF_COUNT_HW_INSTRUCTIONS },
	{ "ex_ret_instr", PERF_COUNT_HW_INSTRUCTIONS },
	{ "retired_instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "cpu_cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu_clk_unhalted.thread", PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu_clk_unhalted.thread_p", PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu_clk_unhalted.core", PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu_clk_unhalted.core_p", PERF_COUNT_HW_CPU_CYCLES },
	{ "ls_not_halted_cyc", PERF_COUNT_HW_CPU_CYCLES },
	{ "cycles_not_in_halt", PERF_COUNT_HW_CPU_CYCLES },
	{ "br_retired", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "br_inst_retired.all_branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "ex_ret_brn", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "br_mis_pred_retired", PERF_COUNT_HW_BRANCH_MISSES },
	{ "br_misp_retired.all_branches", PERF_COUNT_HW_BRANCH_MISSES },
	{ "ex_ret_brn_misp", PERF_COUNT_HW_BRANCH_MISSES },
};

static char plain_letter(char c)
{
	return c == ':' ? '.' : (char)tolower((unsigned char)c);
}

bool selfmon_event_kind_begins(const struct selfmon_event_kind *meaning,
			       const char *start)
{
	size_t i;

	for (i = 0; start[i]; i++)
		if (i == meaning->core_length ||
		    plain_letter(meaning->core[i]) != start[i])
			return false;
	return true;
}

static bool is_called(const struct selfmon_event_kind *meaning,
		      const char *name)
{
	return strlen(name) == meaning->core_length &&
	       selfmon_event_kind_begins(meaning, name);
}

/*
 * Splits pmu/event/modifiers or event:modifiers. A colon may also separate an
 * event and its unit mask.
 */
static void split(const char *name, struct selfmon_event_kind *meaning)
{
	const char *const slash = strchr(name, '/');
	const char *end = name + strlen(name), *colon;

	meaning->pmu = "";
	meaning->modifiers = end;
	if (slash) {
		meaning->pmu = name;
		meaning->pmu_length = (size_t)(slash - name);
		name = slash + 1;
		end = name + strcspn(name, "/");
		meaning->modifiers = end + (*end == '/');
		meaning->modifiers += *meaning->modifiers == ':';
	} else if ((colon = strrchr(name, ':')) &&
		   !colon[1 + strspn(colon + 1, MODIFIERS)]) {
		end = colon;
		meaning->modifiers = colon + 1;
	}
	meaning->core = name;
	meaning->core_length = (size_t)(end - name);
	if (meaning->pmu_length == 3 && !memcmp(meaning->pmu, "cpu", 3))
		meaning->pmu_length = 0;
}

void selfmon_event_kind_of(const char *name, struct selfmon_event_kind *meaning)
{
	struct selfmon_event event;
	size_t i;

	memset(meaning, 0, sizeof(*meaning));
	split(name, meaning);
	memset(&event, 0, sizeof(event));
	meaning->type = SELFMON_MEANING_NONE;
	if (!selfmon_generic_find(meaning->core, meaning->core_length,
				  &event)) {
		meaning->type = event.type;
		meaning->config = event.config;
		return;
	}
	for (i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++) {
		if (!is_called(meaning, vendors[i].name))
			continue;
		meaning->type = PERF_TYPE_HARDWARE;
		meaning->config = vendors[i].config;
	}
}

bool selfmon_event_kind_alike(const struct selfmon_event_kind *a,
			      const struct selfmon_event_kind *b)
{
	return a->pmu_length == b->pmu_length &&
	       !memcmp(a->pmu, b->pmu, a->pmu_length) &&
	       !strcmp(a->modifiers, b->modifiers);
}

bool selfmon_event_kind_is_time(const struct selfmon_event_kind *meaning)
{
	return meaning->type == PERF_TYPE_SOFTWARE &&
	       (meaning->config == PERF_COUNT_SW_CPU_CLOCK ||
		meaning->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool selfmon_event_kind_is_miss(const struct selfmon_event_kind *meaning)
{
	const struct selfmon_event_kind rest = *meaning;
	struct selfmon_event_kind tail = rest;

	if (meaning->type == PERF_TYPE_HARDWARE)
		return meaning->config == PERF_COUNT_HW_CACHE_MISSES ||
		       meaning->config == PERF_COUNT_HW_BRANCH_MISSES;
	if (meaning->type == PERF_TYPE_HW_CACHE)
		return meaning->config >> 16 ==
		       PERF_COUNT_HW_CACHE_RESULT_MISS;
	if (meaning->type != SELFMON_MEANING_NONE)
		return false;
	for (; tail.core_length > 0; tail.core++, tail.core_length--)
		if (selfmon_event_kind_begins(&tail, "miss") ||
		    selfmon_event_kind_begins(&tail, "misp") ||
		    selfmon_event_kind_begins(&tail, "mis_pred"))
			return true;
	return false;
}
