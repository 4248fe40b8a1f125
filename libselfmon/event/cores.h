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

/* Sorted by the numbers of their PMUs. */
struct selfmon_cores {
	size_t count; /* 0 if all cores are of one type */
	struct selfmon_core core[SELFMON_CORES_MAX];
};

/*
 * Returns the core types of this machine. Reads sysfs once per process, into
 * static memory. If another thread is just reading sysfs, this call reads it
 * too, into *room.
 */
const struct selfmon_cores *selfmon_cores(struct selfmon_cores *room);

/*
 * Parses a list such as "0-3,8" into a bitmap of SELFMON_CORE_WORDS words.
 * Ignores CPUs beyond the last bit, and everything after a part that is not a
 * number.
 */
void selfmon_cores_cpus(const char *list, uint64_t *cpus);

/*
 * Returns the index of the type that counts this core PMU event; 0 if unknown.
 */
size_t selfmon_cores_of(const struct selfmon_cores *cores,
			const struct selfmon_event *event);

/* Returns true for the generalised hardware and cache events of any core. */
bool selfmon_event_is_generalised(const struct selfmon_event *event);

/*
 * Returns the core type to which all allowed CPUs belong, or -1 if they may
 * belong to several. allowed has SELFMON_CORE_WORDS words.
 */
int selfmon_cores_pinned(const struct selfmon_cores *cores,
			 const uint64_t *allowed);

#endif
