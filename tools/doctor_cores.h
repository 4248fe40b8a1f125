/* SPDX-License-Identifier: MIT */
/* Several core types: the types on which this program may run. */
#ifndef SELFMON_TOOLS_DOCTOR_CORES_H
#define SELFMON_TOOLS_DOCTOR_CORES_H

#include "doctor.h"

/* CPUs that a thread may run on; empty: unchanged. */
struct doctor_cpus {
	uint64_t bits[SELFMON_CORE_WORDS];
};

/*
 * Returns the index of the PMU that this program is pinned to, or -1. root: as
 * in selfmon_facts_gather_at().
 */
int doctor_cores_pinned(const char *root, const struct doctor_machine *machine);

/*
 * Returns true if there are several core types and this program may run on more
 * than one.
 */
bool doctor_cores_roam(const struct doctor_machine *machine);

/*
 * Pins a thread that may run on several core types to one of them. Returns the
 * old CPUs for doctor_cores_unpin().
 */
struct doctor_cpus doctor_cores_pin(const struct doctor_machine *machine);
void doctor_cores_unpin(const struct doctor_cpus *before);

#endif
