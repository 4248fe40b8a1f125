/* SPDX-License-Identifier: MIT */
#include "event/core_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "event/terms.h"

/*
 * Returns the sysfs name of the event that the kernel counts for a generalised
 * event on ARM cores (drivers/perf/arm_pmuv3.c, armv8_pmuv3_perf_map). sysfs
 * has files only for events that the core has, so the first name with a file is
 * returned. Returns NULL if no name has a file.
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
		    selfmon_pmu_event(pmu, selfmon_piece_of(own[i].name), text) == 0)
			return own[i].name;
	return NULL;
}

/*
 * On ARM, replaces the event by the PMU's own event if sysfs has a file for it.
 * Otherwise stores the PMU's type in the upper half of config, as the kernel
 * requires if there are several core PMUs (Linux 5.13, PERF_PMU_TYPE_SHIFT; on
 * ARM since 6.6). A PMU named "cpu" is the only core PMU, and needs no type.
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
	if (name && selfmon_terms_apply(&silent, pmu, selfmon_piece_of(name),
					&own) == 0)
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
		"at most %d events fit in one snapshot, and %.*s takes one for "
		"each of %zu core types: choose a type, as in %s/%.*s/",
		SELFMON_MAX_COUNTERS, (int)event->base, event->name,
		cores->count, cores->core[0].pmu.name, (int)event->base,
		event->name);
}

/*
 * Changes an event so that it counts on one core type. If the event is in a {}
 * group, the group gets a different number for each core type.
 */
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
		if (!selfmon_event_is_generalised(&events->event[i]) ||
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
