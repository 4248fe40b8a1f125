/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "doctor_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor_cores.h"
#include "platform/cpu.h"
#include "platform/directory.h"
#include "platform/kernel.h"

#define DEVICES_PATH "/sys/bus/event_source/devices"
#define PATH_SIZE 512

/* Reads the first line of a file; "" if there is none. */
static void read_line(const char *root, const char *path, char *to,
		      size_t size)
{
	char text[4096];

	to[0] = '\0';
	if (selfmon_facts_text(root, path, text, sizeof(text)) <= 0)
		return;
	snprintf(to, size, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Finds the value of KEY= in os-release(5), without its quotes. */
static bool find_value(const char *text, const char *key, char *to, size_t size)
{
	const size_t n = strlen(key);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, key, n) != 0 || text[n] != '=')
			continue;
		text += n + 1;
		text += *text == '"' || *text == '\'';
		snprintf(to, size, "%.*s", (int)strcspn(text, "\"'\n"), text);
		return true;
	}
	return false;
}

static void read_system(const char *root, struct doctor_machine *machine)
{
	char text[4096], id[32] = "", like[56] = "";

	snprintf(machine->system, sizeof(machine->system),
		 "an unknown system");
	if (selfmon_facts_text(root, "/etc/os-release", text, sizeof(text)) <=
	    0)
		return;
	find_value(text, "PRETTY_NAME", machine->system,
		   sizeof(machine->system));
	find_value(text, "ID", id, sizeof(id));
	find_value(text, "ID_LIKE", like, sizeof(like));
	snprintf(machine->id, sizeof(machine->id), " %s %s ", id, like);
}

static enum doctor_arch arch_of(const char *name)
{
	static const struct {
		const char *name;
		enum doctor_arch arch;
	} known[] = {
		{ "x86", DOCTOR_X86 },	      { "i686", DOCTOR_X86 },
		{ "aarch64", DOCTOR_ARM64 },  { "arm64", DOCTOR_ARM64 },
		{ "riscv64", DOCTOR_RISCV64 },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(name, known[i].name, strlen(known[i].name)))
			return known[i].arch;
	return DOCTOR_OTHER;
}

static void read_kernel(const char *root, struct doctor_machine *machine)
{
	char release[64], arch[32];

	if (!*root) {
		selfmon_kernel_release(machine->kernel,
				       sizeof(machine->kernel));
		machine->arch = arch_of(SELFMON_ARCH_NAME);
		return;
	}
	read_line(root, "/proc/sys/kernel/osrelease", release,
		  sizeof(release));
	read_line(root, "/proc/sys/kernel/arch", arch, sizeof(arch));
	snprintf(machine->kernel, sizeof(machine->kernel), "Linux %s %s",
		 release, arch);
	machine->arch = arch_of(arch);
}

static void read_cpu(const char *root, struct doctor_machine *machine)
{
	static const char *const keys[] = { "model name", "uarch", "Model",
					    "CPU part" };
	char text[4096] = "";
	struct selfmon_cpu cpu;
	size_t i;

	if (!*root) {
		selfmon_cpu_identify(&cpu);
		doctor_cpu_gather(&machine->details);
		snprintf(machine->cpu, sizeof(machine->cpu), "%s%s%s",
			 cpu.brand, cpu.hypervisor ? " under " : "",
			 !cpu.hypervisor	   ? ""
			 : cpu.hypervisor_name[0] ? cpu.hypervisor_name
						  : "a hypervisor");
		return;
	}
	snprintf(machine->cpu, sizeof(machine->cpu), "unknown CPU");
	selfmon_facts_text(root, "/proc/cpuinfo", text, sizeof(text));
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (selfmon_cpu_find_field(text, keys[i], machine->cpu,
					   sizeof(machine->cpu)))
			return;
}

/*
 * Returns the number of CPUs in a list such as 0-3,8,10-11. Returns 0 if the
 * text is not a list.
 */
static int64_t count_list(const char *list)
{
	int64_t count = 0;
	char *end;

	while (*list >= '0' && *list <= '9') {
		const long first = strtol(list, &end, 10);
		long last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		count += last >= first ? last - first + 1 : 0;
		list = end + (*end == ',');
	}
	return count;
}

/*
 * Sorts the PMUs by core size. If the capacities are equal, sorts by name: both
 * on Arm and on Intel, larger cores have the alphabetically later name.
 */
static int by_size(const void *a, const void *b)
{
	const struct doctor_pmu *const x = a, *const y = b;

	if (x->capacity != y->capacity)
		return x->capacity < y->capacity ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Reads the capacity of the PMU's first CPU. */
static int64_t read_capacity(const char *root, const struct doctor_pmu *pmu)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%ld/cpu_capacity",
		 strtol(pmu->cpus, NULL, 10));
	return selfmon_facts_number(root, path);
}

/*
 * Reads the core PMUs: "cpu", and all that have a list of CPUs. The library's
 * event/sysfs.c explains this rule.
 */
static void read_pmus(const char *root, struct doctor_machine *machine)
{
	struct selfmon_directory directory;
	char path[PATH_SIZE], name[48];

	snprintf(path, sizeof(path), "%s" DEVICES_PATH, root);
	if (selfmon_directory_open(path, &directory))
		return;
	while (selfmon_directory_next(&directory, name, sizeof(name)) &&
	       machine->pmus < DOCTOR_PMUS) {
		struct doctor_pmu *pmu = &machine->pmu[machine->pmus];

		snprintf(path, sizeof(path), DEVICES_PATH "/%s/cpus", name);
		read_line(root, path, pmu->cpus, sizeof(pmu->cpus));
		if (strcmp(name, "cpu") != 0 && !pmu->cpus[0])
			continue;
		memcpy(pmu->name, name, sizeof(name));
		pmu->capacity = read_capacity(root, pmu);
		machine->pmus++;
	}
	selfmon_directory_close(&directory);
	qsort(machine->pmu, machine->pmus, sizeof(machine->pmu[0]), by_size);
}

void doctor_machine_gather(const char *root, struct doctor_machine *machine)
{
	char text[256], path[PATH_SIZE];

	memset(machine, 0, sizeof(*machine));
	selfmon_facts_gather_at(root, &machine->facts);
	read_system(root, machine);
	read_kernel(root, machine);
	read_cpu(root, machine);
	read_line(root, "/sys/kernel/security/lsm", machine->modules,
		  sizeof(machine->modules));
	read_line(root, "/sys/kernel/security/lockdown", machine->lockdown,
		  sizeof(machine->lockdown));
	read_line(root, "/sys/devices/system/cpu/online", text, sizeof(text));
	machine->cpus = count_list(text);
	if (machine->cpus == 0)
		machine->cpus = *root ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
	machine->page_size = *root ? 4096 : sysconf(_SC_PAGESIZE);
	machine->files_open =
		selfmon_facts_number(root, "/proc/sys/fs/file-nr");
	read_pmus(root, machine);
	machine->pinned = doctor_cores_pinned(root, machine);
	machine->mux_ms = SELFMON_FACT_UNKNOWN;
	if (machine->pmus == 0)
		return;
	snprintf(path, sizeof(path),
		 DEVICES_PATH "/%s/perf_event_mux_interval_ms",
		 machine->pmu[0].name);
	machine->mux_ms = selfmon_facts_number(root, path);
}
