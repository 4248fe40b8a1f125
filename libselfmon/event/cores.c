/* SPDX-License-Identifier: MIT */
/* The types of core, from the PMUs that say which CPUs they are of. */
#include "event/cores.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "event/terms.h"
#include "platform/directory.h"

static struct selfmon_piece text_piece(const char *text)
{
	return (struct selfmon_piece){ .text = text, .length = strlen(text) };
}

void selfmon_cores_cpus(const char *list, uint64_t *cpus)
{
	struct selfmon_piece rest = text_piece(list), part, low;
	bool more = true;

	memset(cpus, 0, SELFMON_CORE_WORDS * sizeof(*cpus));
	while (more) {
		uint64_t first, last;
		bool range;

		more = selfmon_piece_cut(&rest, ',', &part);
		range = selfmon_piece_cut(&part, '-', &low);
		if (selfmon_piece_number(low, &first) ||
		    selfmon_piece_number(range ? part : low, &last))
			return;
		for (; first <= last && first < SELFMON_CORE_CPUS; first++)
			cpus[first / 64] |= UINT64_C(1) << first % 64;
	}
}

static void add_core(struct selfmon_cores *cores,
		     const struct selfmon_core *core)
{
	size_t i = cores->count++;

	for (; i > 0 && cores->core[i - 1].pmu.type > core->pmu.type; i--)
		cores->core[i] = cores->core[i - 1];
	cores->core[i] = *core;
	selfmon_cores_cpus(core->list, cores->core[i].cpus);
}

static void read_cores(struct selfmon_cores *cores)
{
	struct selfmon_directory directory;
	struct selfmon_core core;
	char name[256]; /* NAME_MAX: those that are too long are no PMU's */

	memset(cores, 0, sizeof(*cores));
	/* The one PMU of all cores, on x86 and riscv64. */
	if (selfmon_pmu_find(text_piece("cpu"), &core.pmu) == 0)
		return;
	if (selfmon_directory_open(selfmon_sysfs_root, &directory))
		return;
	while (cores->count < SELFMON_CORES_MAX &&
	       selfmon_directory_next(&directory, name, sizeof(name))) {
		memset(&core, 0, sizeof(core));
		if (selfmon_pmu_find(text_piece(name), &core.pmu) == 0 &&
		    core.pmu.core &&
		    selfmon_pmu_cpus(&core.pmu, core.list,
				     sizeof(core.list)) == 0)
			add_core(cores, &core);
	}
	selfmon_directory_close(&directory);
	if (cores->count == 1)
		cores->count = 0;
}

const struct selfmon_cores *selfmon_cores(struct selfmon_cores *room)
{
	static struct selfmon_cores found;
	enum { NOTHING, AT_IT, DONE };
	static int state;
	int none = NOTHING;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == DONE)
		return &found;
	read_cores(room);
	if (__atomic_compare_exchange_n(&state, &none, AT_IT, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		found = *room;
		__atomic_store_n(&state, DONE, __ATOMIC_RELEASE);
	}
	return room;
}

/* The generalised events, whose PMU stands in the upper half of config. */
static bool is_generalised(const struct selfmon_event *event)
{
	return event->flags & SELFMON_EVENT_HARDWARE &&
	       (event->type == PERF_TYPE_HARDWARE ||
		event->type == PERF_TYPE_HW_CACHE);
}

size_t selfmon_cores_of(const struct selfmon_cores *cores,
			const struct selfmon_event *event)
{
	const uint64_t type = is_generalised(event) ? event->config >> 32
						    : event->type;
	size_t i;

	for (i = 0; i < cores->count; i++)
		if (cores->core[i].pmu.type == type)
			return i;
	return 0;
}

int selfmon_cores_pinned(const struct selfmon_cores *cores,
			 const uint64_t *allowed)
{
	size_t i, k;

	for (i = 0; i < cores->count; i++) {
		uint64_t outside = 0;

		for (k = 0; k < SELFMON_CORE_WORDS; k++)
			outside |= allowed[k] & ~cores->core[i].cpus[k];
		if (!outside)
			return (int)i;
	}
	return -1;
}

/*
 * What the kernel counts for a generalised event on ARM's cores
 * (drivers/perf/arm_pmuv3.c, armv8_pmuv3_perf_map), by the names of sysfs;
 * those that a core has not are not there.
 */
static const char *own_name(const struct selfmon_pmu *pmu,
			    const struct selfmon_event *event)
{
	static const struct {
		uint64_t config;
		const char *name;
	} own[] = {
		{ PERF_COUNT_HW_CPU_CYCLES, "cpu_cycles" },
		{ PERF_COUNT_HW_INSTRUCTIONS, "inst_retired" },
		{ PERF_COUNT_HW_CACHE_REFERENCES, "l1d_cache" },
		{ PERF_COUNT_HW_CACHE_MISSES, "l1d_cache_refill" },
		{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "br_retired" },
		{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "pc_write_retired" },
		{ PERF_COUNT_HW_BRANCH_MISSES, "br_mis_pred" },
		{ PERF_COUNT_HW_BUS_CYCLES, "bus_cycles" },
		{ PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stall_frontend" },
		{ PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stall_backend" },
	};
	char text[SELFMON_PMU_EVENT_SIZE];
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (event->type == PERF_TYPE_HARDWARE &&
		    event->config == own[i].config &&
		    selfmon_pmu_event(pmu, text_piece(own[i].name), text) == 0)
			return own[i].name;
	return NULL;
}

/*
 * By the PMU's own name of it; else the kernel wants the PMU in the upper half
 * of config (Linux 5.13, PERF_PMU_TYPE_SHIFT; on ARM from 6.6 on), unless there
 * is but one, of the name "cpu".
 */
void selfmon_core_event(const struct selfmon_pmu *pmu,
			struct selfmon_event *event)
{
	const struct selfmon_spec silent = { .failure = NULL };
	const char *const name = own_name(pmu, event);
	struct selfmon_event own = *event;

	if (!strcmp(pmu->name, "cpu"))
		return;
	own.config = 0;
	if (name && selfmon_terms_parse(&silent, text_piece(pmu->name),
					text_piece(name), &own) == 0)
		*event = own;
	else
		event->config |= (uint64_t)pmu->type << 32;
}

static int too_many(const struct selfmon_spec *spec,
		    const struct selfmon_cores *cores,
		    const struct selfmon_event *event)
{
	return selfmon_spec_fail(
		spec, E2BIG, event->position,
		"at most %d events fit in one snapshot, and %.*s is one for "
		"each of %zu types of core: name one, as in %s/%.*s/",
		SELFMON_MAX_COUNTERS, (int)event->base, event->name,
		cores->count, cores->core[0].pmu.name, (int)event->base,
		event->name);
}

/* The event of one type; braces hold within a type. */
static int take_type(const struct selfmon_spec *spec,
		     const struct selfmon_cores *cores, size_t type,
		     struct selfmon_event *event)
{
	const struct selfmon_pmu *const pmu = &cores->core[type].pmu;
	const struct selfmon_event asked = *event;
	const int n = snprintf(
		event->name, sizeof(event->name), "%s/%.*s/%s", pmu->name,
		(int)asked.base, asked.name,
		asked.name + asked.base + (asked.name[asked.base] == ':'));

	if (n < 0 || (size_t)n >= sizeof(event->name))
		return selfmon_spec_fail(spec, EINVAL, asked.position,
					 "event '%.*s' is too long with the "
					 "name of its PMU, %s", (int)asked.base,
					 asked.name, pmu->name);
	event->base = (uint16_t)(strlen(pmu->name) + asked.base + 2);
	if (asked.group)
		event->group = (uint8_t)(asked.group +
					 type * (SELFMON_MAX_COUNTERS + 1));
	selfmon_core_event(pmu, event);
	return 0;
}

/* One event becomes several, those behind it move on. */
static int split_types(const struct selfmon_spec *spec,
		       const struct selfmon_cores *cores, size_t at,
		       struct selfmon_events *events)
{
	const struct selfmon_event asked = events->event[at];
	const size_t behind = events->count - at - 1;
	size_t type;
	int ret = 0;

	if (events->count + cores->count - 1 > SELFMON_MAX_COUNTERS)
		return too_many(spec, cores, &asked);
	memmove(&events->event[at + cores->count], &events->event[at + 1],
		behind * sizeof(asked));
	events->count += cores->count - 1;
	for (type = 0; type < cores->count && !ret; type++) {
		events->event[at + type] = asked;
		ret = take_type(spec, cores, type, &events->event[at + type]);
	}
	return ret;
}

int selfmon_cores_split(const struct selfmon_spec *spec, size_t first,
			struct selfmon_events *events)
{
	struct selfmon_cores room;
	const struct selfmon_cores *cores = NULL;
	size_t i;
	int ret = 0;

	for (i = first; i < events->count && !ret; i++) {
		if (!is_generalised(&events->event[i]) ||
		    events->event[i].config >> 32)
			continue;
		cores = cores ? cores : selfmon_cores(&room);
		if (cores->count == 0)
			return 0;
		ret = split_types(spec, cores, i, events);
		i += cores->count - 1;
	}
	return ret;
}
