/* SPDX-License-Identifier: MIT */
/* The CPUID instruction; elsewhere than on x86 no leaf is there. */
#ifndef SELFMON_PLATFORM_CPUID_H
#define SELFMON_PLATFORM_CPUID_H

#include <stdbool.h>
#include <stdint.h>

struct selfmon_cpuid_leaf {
	uint32_t eax, ebx, ecx, edx;
};

/*
 * Subleaf 0 of a leaf of this CPU. false, and zeros, where the CPU has no
 * such leaf: what it then answers is that of another one (Intel SDM volume 2,
 * CPUID). Under a hypervisor each call is two exits of microseconds.
 */
bool selfmon_cpuid(uint32_t number, struct selfmon_cpuid_leaf *leaf);

/* CPUID 1H:ECX[31], zero on every physical CPU. */
bool selfmon_cpuid_hypervisor(const struct selfmon_cpuid_leaf *features);

/* Is this a virtual machine? True as well where the CPU does not say. */
bool selfmon_cpuid_may_be_virtual(void);

#endif
