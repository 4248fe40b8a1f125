/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "doctor_cores.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/cpu.h"
#include "platform/kernel.h"

/*
 * Reads the CPUs on which this thread may run, by sched_getaffinity(2). For a
 * recorded machine (root is not ""), reads them from its file status.
 */
static bool read_allowed(const char *root, uint64_t *allowed)
{
	char text[8192], list[256];

	if (!*root)
		return !selfmon_kernel_allowed_cpus(allowed,
						    SELFMON_CORE_WORDS);
	if (selfmon_facts_text(root, "/proc/self/status", text,
			       sizeof(text)) <= 0 ||
	    !selfmon_cpu_find_field(text, "Cpus_allowed_list", list,
				    sizeof(list)))
		return false;
	selfmon_cores_cpus(list, allowed);
	return true;
}

int doctor_cores_pinned(const char *root, const struct doctor_machine *machine)
{
	uint64_t allowed[SELFMON_CORE_WORDS], cpus[SELFMON_CORE_WORDS];
	size_t i, k;

	if (!read_allowed(root, allowed))
		return -1;
	for (i = 0; i < machine->pmus; i++) {
		uint64_t inside = 0, outside = 0;

		selfmon_cores_cpus(machine->pmu[i].cpus, cpus);
		for (k = 0; k < SELFMON_CORE_WORDS; k++) {
			inside |= allowed[k] & cpus[k];
			outside |= allowed[k] & ~cpus[k];
		}
		if (inside && !outside)
			return (int)i;
	}
	return -1;
}

bool doctor_cores_roam(const struct doctor_machine *machine)
{
	return machine->pmus > 1 && machine->pinned < 0;
}

static bool is_none(const struct doctor_cpus *cpus)
{
	uint64_t any = 0;
	size_t i;

	for (i = 0; i < SELFMON_CORE_WORDS; i++)
		any |= cpus->bits[i];
	return !any;
}

static bool set_cpus(const struct doctor_cpus *cpus)
{
	return syscall(SYS_sched_setaffinity, 0, sizeof(cpus->bits),
		       cpus->bits) == 0;
}

/*
 * Pins the thread to the largest core type on which it may run. If pinning
 * fails, tries the next smaller type. The remedy of the check core-types always
 * names the largest type of the machine.
 */
struct doctor_cpus doctor_cores_pin(const struct doctor_machine *machine)
{
	struct doctor_cpus before, one;
	size_t i, k;

	memset(&before, 0, sizeof(before));
	if (!doctor_cores_roam(machine) ||
	    selfmon_kernel_allowed_cpus(before.bits, SELFMON_CORE_WORDS))
		return before;
	for (i = machine->pmus; i-- > 0;) {
		selfmon_cores_cpus(machine->pmu[i].cpus, one.bits);
		for (k = 0; k < SELFMON_CORE_WORDS; k++)
			one.bits[k] &= before.bits[k];
		if (!is_none(&one) && set_cpus(&one))
			break;
	}
	return before;
}

void doctor_cores_unpin(const struct doctor_cpus *before)
{
	if (!is_none(before))
		set_cpus(before);
}
