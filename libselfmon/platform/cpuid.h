/* SPDX-License-Identifier: MIT */
/* The CPUID instruction; on machines other than x86-64 no leaf exists. */
#ifndef SELFMON_PLATFORM_CPUID_H
#define SELFMON_PLATFORM_CPUID_H

#include <stdbool.h>
#include <stdint.h>

struct selfmon_cpuid_leaf {
	uint32_t eax, ebx, ecx, edx;
};

/*
 * Reads subleaf 0 of a leaf. If the CPU has no such leaf, sets zeros and
 * returns false: the instruction itself would return another leaf (Intel SDM
 * volume 2, CPUID). Leaf 40000000H is not checked: read it only under a
 * hypervisor. Under a hypervisor each call causes one or two VM exits, which
 * take microseconds.
 */
bool selfmon_cpuid(uint32_t number, struct selfmon_cpuid_leaf *leaf);

/* Returns bit 31 of ECX in leaf 1, which is 0 on every physical CPU. */
bool selfmon_cpuid_hypervisor(const struct selfmon_cpuid_leaf *features);

/* Returns true in a virtual machine, or if this is unknown. */
bool selfmon_cpuid_may_be_virtual(void);

#endif
