/* SPDX-License-Identifier: MIT */
/*
 * The core types of this machine. If there are several (Intel's hybrids, ARM's
 * big.LITTLE), each type has its own PMU, and an event counts only on cores of
 * one type.
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
	char list[64];                     /* the CPUs as text: "0-15" */
	uint64_t cpus[SELFMON_CORE_WORDS]; /* bit i: CPU i has this type */
};

/* The core types, sorted by perf_event_attr.type of their PMUs. */
struct selfmon_cores {
	size_t count; /* 0 if all cores are of one type */
	struct selfmon_core core[SELFMON_CORES_MAX];
};

/*
 * Returns the core types of this machine: a pointer to static memory, or
 * `room`. The first call reads sysfs into *room and copies the result to static
 * memory. Until the copy is complete, other threads do not wait: each of them
 * reads sysfs into its own *room.
 */
const struct selfmon_cores *selfmon_cores(struct selfmon_cores *room);

/*
 * Parses a list such as "0-3,8" into a bitmap of SELFMON_CORE_WORDS words.
 * Ignores CPUs beyond the last bit. Ends at the first part that is not a number
 * or a range.
 */
void selfmon_cores_cpus(const char *list, uint64_t *cpus);

/*
 * Returns the index of the core type whose PMU counts this event; 0 if unknown.
 */
size_t selfmon_cores_of(const struct selfmon_cores *cores,
			const struct selfmon_event *event);

/*
 * Returns true for generalised hardware and cache events (PERF_TYPE_HARDWARE,
 * PERF_TYPE_HW_CACHE), whether or not config contains the type of a PMU.
 */
bool selfmon_event_is_generalised(const struct selfmon_event *event);

/*
 * Returns the index of the core type to which all allowed CPUs belong, or -1 if
 * no type has all of them. `allowed` has SELFMON_CORE_WORDS words.
 */
int selfmon_cores_pinned(const struct selfmon_cores *cores,
			 const uint64_t *allowed);

#endif
