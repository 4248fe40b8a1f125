/* SPDX-License-Identifier: MIT */
/*
 * The types of core of this machine. Where there are several (Intel's hybrids,
 * ARM's big.LITTLE) each has a PMU of its own, and an event counts on the cores
 * of one type alone.
 */
#ifndef SELFMON_EVENT_CORES_H
#define SELFMON_EVENT_CORES_H

#include <selfmon/event.h>

#include "event/sysfs.h"

#define SELFMON_CORES_MAX 4
#define SELFMON_CORE_CPUS 1024
#define SELFMON_CORE_WORDS (SELFMON_CORE_CPUS / 64)

struct selfmon_core {
	struct selfmon_pmu pmu;
	char list[64];                     /* of its CPUs: "0-15" */
	uint64_t cpus[SELFMON_CORE_WORDS]; /* bit i: CPU i is one of them */
};

/* In the order of their PMUs' numbers. */
struct selfmon_cores {
	size_t count; /* 0: all cores are of one type */
	struct selfmon_core core[SELFMON_CORES_MAX];
};

/*
 * Those of this machine: sysfs is read once in a process, into what is not
 * the caller's; into *room, while another thread is at it.
 */
const struct selfmon_cores *selfmon_cores(struct selfmon_cores *room);

/*
 * "0-3,8" into SELFMON_CORE_WORDS words; CPUs beyond the last bit are left
 * out, and all that follows what is no number.
 */
void selfmon_cores_cpus(const char *list, uint64_t *cpus);

/* Which type counts this event of a core's PMU; 0 where that is not told. */
size_t selfmon_cores_of(const struct selfmon_cores *cores,
			const struct selfmon_event *event);

/*
 * The type whose cores are all that a thread may run on; -1: there may be
 * others among them. allowed: SELFMON_CORE_WORDS words.
 */
int selfmon_cores_pinned(const struct selfmon_cores *cores,
			 const uint64_t *allowed);

/* Makes a generalised event the one that this core's PMU counts. */
void selfmon_core_event(const struct selfmon_pmu *pmu,
			struct selfmon_event *event);

/*
 * Replaces generalised hardware events from first on, each by one for each
 * type of core: cycles by cpu_core/cycles/ and cpu_atom/cycles/. A {} group
 * becomes one of each type. 0, or -errno with the failure filled in: -E2BIG,
 * or -EINVAL for a name that gets too long.
 */
int selfmon_cores_split(const struct selfmon_spec *spec, size_t first,
			struct selfmon_events *events);

#endif
