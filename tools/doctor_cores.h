/* SPDX-License-Identifier: MIT */
/*
 * For machines with several core types: finds the types on which this program
 * may run.
 */
#ifndef SELFMON_TOOLS_DOCTOR_CORES_H
#define SELFMON_TOOLS_DOCTOR_CORES_H

#include "doctor.h"

/*
 * The CPUs on which a thread could run before it was pinned. Empty if it was
 * not pinned.
 */
struct doctor_cpus {
	uint64_t bits[SELFMON_CORE_WORDS];
};

/*
 * Returns the index of the PMU to whose CPUs this program is restricted, or -1.
 * root is as in selfmon_facts_gather_at().
 */
int doctor_cores_pinned(const char *root, const struct doctor_machine *machine);

/*
 * Returns true if there are several core types, and this program may run on
 * more than one of them.
 */
bool doctor_cores_roam(const struct doctor_machine *machine);

/*
 * If the thread may run on several core types, pins it to one of them. Returns
 * the previous CPUs for doctor_cores_unpin().
 */
struct doctor_cpus doctor_cores_pin(const struct doctor_machine *machine);
void doctor_cores_unpin(const struct doctor_cpus *before);

#endif
