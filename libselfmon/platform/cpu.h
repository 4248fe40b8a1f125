/* SPDX-License-Identifier: MIT */
/* Who this CPU is, for reports. cpu.c is the only file that knows libcpuid. */
#ifndef SELFMON_PLATFORM_CPU_H
#define SELFMON_PLATFORM_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct selfmon_cpu {
	char brand[64];           /* "AMD EPYC", never empty */
	char vendor[16];          /* "GenuineIntel"; "" if not x86 */
	char hypervisor_name[16]; /* "KVM"; "" if none, "unknown" */
	int family, model, stepping;  /* as displayed; 0 if not x86 */
	bool invariant_tsc;
	bool hypervisor;          /* runs under one that does not hide */
	/* Intel's architectural performance monitoring, CPUID 0AH; else 0. */
	uint32_t perfmon_version;
	uint32_t perfmon_counters;       /* general counters a thread */
	uint32_t perfmon_fixed;          /* fixed counters */
	uint32_t perfmon_width;          /* bits of a general counter */
};

/*
 * This CPU, by libcpuid where it is built in and knows the CPU. Tens of
 * microseconds and more: for reports, never for a region. Prints nothing.
 */
void selfmon_cpu_identify(struct selfmon_cpu *cpu);

/* The same without libcpuid: by CPUID, or /proc/cpuinfo. */
void selfmon_cpu_identify_raw(struct selfmon_cpu *cpu);

/* The value of the first line "key : value" of cpuinfo. false: none. */
bool selfmon_cpu_find_field(const char *cpuinfo, const char *key,
			    char *value, uint32_t size);

/* The short name of a signature of CPUID 40000000H, "unknown" at worst. */
const char *selfmon_cpu_hypervisor_name(const char *signature);

#endif
