/* SPDX-License-Identifier: MIT */
/*
 * Tests on which cores the doctor tries events, on a machine with two core
 * types.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "../../../tools/doctor_cores.h"
#include "doctor.h"

/*
 * Simulates a machine with two core types: the first two CPUs that this program
 * may use.
 */
static bool make_machine(struct doctor_machine *machine)
{
	cpu_set_t all;
	size_t cpu;

	memset(machine, 0, sizeof(*machine));
	machine->pinned = -1;
	if (sched_getaffinity(0, sizeof(all), &all))
		return false;
	for (cpu = 0; cpu < CPU_SETSIZE && machine->pmus < 2; cpu++)
		if (CPU_ISSET(cpu, &all))
			sprintf(machine->pmu[machine->pmus++].cpus, "%zu", cpu);
	return machine->pmus == 2;
}

static bool says(bool right, const char *what)
{
	if (!right)
		printf("doctor: pin: %s\n", what);
	return right;
}

bool pin_works(void)
{
	static struct doctor_machine machine;
	cpu_set_t before, within, after;
	struct doctor_cpus kept;

	if (!make_machine(&machine)) {
		printf("[SKIP] doctor: pin: needs two CPUs\n");
		return true;
	}
	sched_getaffinity(0, sizeof(before), &before);
	kept = doctor_cores_pin(&machine);
	sched_getaffinity(0, sizeof(within), &within);
	doctor_cores_unpin(&kept);
	sched_getaffinity(0, sizeof(after), &after);
	return says(CPU_COUNT(&within) == 1, "not on cores of one type") &&
	       says(CPU_EQUAL(&before, &after), "affinity is not given back") &&
	       says(doctor_cores_pinned("", &machine) == -1,
		    "on cores of both types, and taken for pinned");
}
