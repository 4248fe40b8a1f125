/* SPDX-License-Identifier: MIT */
/* Details of an x86 CPU for the doctor, from libcpuid. */
#ifndef SELFMON_TOOLS_DOCTOR_CPU_H
#define SELFMON_TOOLS_DOCTOR_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef TOOL_HAVE_LIBCPUID
#include <libcpuid.h>
#endif

enum doctor_cache {
	DOCTOR_L1D,
	DOCTOR_L1I,
	DOCTOR_L2,
	DOCTOR_L3,
	DOCTOR_CACHES
};

struct doctor_cpu {
	char microarchitecture[64];        /* "EPYC (Rome)"; "": unknown */
	int64_t cache_kib[DOCTOR_CACHES];  /* of one core; 0: unknown */
	char features[1024];               /* "fpu vme ..."; "": unknown */
};

/*
 * Fills in details of the CPU on which the caller runs. Without libcpuid all
 * details are unknown.
 */
void doctor_cpu_gather(struct doctor_cpu *cpu);

#ifdef TOOL_HAVE_LIBCPUID
/*
 * Fills in details from recorded CPUID leaves. Returns false if libcpuid fails.
 */
bool doctor_cpu_decode(struct cpu_raw_data_t *raw, struct doctor_cpu *cpu);
#endif

/* Returns "L1d", "L1i", "L2" or "L3". */
const char *doctor_cpu_cache_name(size_t cache);

#endif
