/* SPDX-License-Identifier: MIT */
/* Identifies the CPU, for reports and for known errata. */
#ifndef SELFMON_PLATFORM_CPU_H
#define SELFMON_PLATFORM_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct selfmon_cpu {
	char brand[64];           /* "AMD EPYC", never empty */
	char vendor[16];          /* "GenuineIntel"; "" if not x86 */
	/* "KVM", or "unknown"; "" if there is no hypervisor */
	char hypervisor_name[16];
	int family, model, stepping;  /* as in /proc/cpuinfo; 0 if not x86 */
	bool hypervisor;          /* true if CPUID shows a hypervisor */
};

/*
 * Identifies this CPU by CPUID or /proc/cpuinfo. Takes tens of microseconds
 * under a hypervisor: call it for reports, not for each visit. Prints nothing.
 */
void selfmon_cpu_identify(struct selfmon_cpu *cpu);

/*
 * Copies the value of the first line "key : value" of cpuinfo. Returns false if
 * there is no such line, or if its value is empty.
 */
bool selfmon_cpu_find_field(const char *cpuinfo, const char *key,
			    char *value, uint32_t size);

/* Returns the short name for a signature of CPUID 40000000H, or "unknown". */
const char *selfmon_cpu_hypervisor_name(const char *signature);

#endif
