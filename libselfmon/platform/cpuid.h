/* SPDX-License-Identifier: MIT */
/* The CPUID instruction; on machines other than x86 no leaf exists. */
#ifndef SELFMON_PLATFORM_CPUID_H
#define SELFMON_PLATFORM_CPUID_H

#include <stdbool.h>
#include <stdint.h>

struct selfmon_cpuid_leaf {
	uint32_t eax, ebx, ecx, edx;
};

/*
 * Reads subleaf 0 of a leaf. If the CPU has no such leaf, returns false and
 * zeros: CPUID itself would return another leaf (Intel SDM volume 2, CPUID).
 * Under a hypervisor each call costs two exits of microseconds.
 */
bool selfmon_cpuid(uint32_t number, struct selfmon_cpuid_leaf *leaf);

/* CPUID 1H:ECX[31], zero on every physical CPU. */
bool selfmon_cpuid_hypervisor(const struct selfmon_cpuid_leaf *features);

/* Returns true on a virtual machine, and also if the CPU does not say. */
bool selfmon_cpuid_may_be_virtual(void);

#endif
