/* SPDX-License-Identifier: MIT */
/* Finds the core types from the PMUs that list their CPUs. */
#include "event/cores.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "platform/directory.h"

void selfmon_cores_cpus(const char *list, uint64_t *cpus)
{
	struct selfmon_piece rest = selfmon_piece_of(list), part, low;
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
	char name[256]; /* enough for NAME_MAX */

	memset(cores, 0, sizeof(*cores));
	/* On x86 and riscv64 a PMU named "cpu" covers all cores. */
	if (selfmon_pmu_find(selfmon_piece_of("cpu"), &core.pmu) == 0)
		return;
	if (selfmon_directory_open(selfmon_sysfs_root, &directory))
		return;
	while (cores->count < SELFMON_CORES_MAX &&
	       selfmon_directory_next(&directory, name, sizeof(name))) {
		memset(&core, 0, sizeof(core));
		if (selfmon_pmu_find(selfmon_piece_of(name), &core.pmu) == 0 &&
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

bool selfmon_event_is_generalised(const struct selfmon_event *event)
{
	return event->flags & SELFMON_EVENT_HARDWARE &&
	       (event->type == PERF_TYPE_HARDWARE ||
		event->type == PERF_TYPE_HW_CACHE);
}

size_t selfmon_cores_of(const struct selfmon_cores *cores,
			const struct selfmon_event *event)
{
	const uint64_t type = selfmon_event_is_generalised(event)
				      ? event->config >> 32
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
