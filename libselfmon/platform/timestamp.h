/* SPDX-License-Identifier: MIT */
/*
 * Properties of the timestamp counter: whether it is a steady clock, and its
 * frequency if CPUID states it. Uses CPUID directly. Only the program selfmon
 * uses libcpuid.
 */
#ifndef SELFMON_PLATFORM_TIMESTAMP_H
#define SELFMON_PLATFORM_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/cpuid.h"

/* The CPUID leaves about time; zeros if the CPU lacks one. */
struct selfmon_timestamp_leaves {
	struct selfmon_cpuid_leaf vendor;      /* 0 */
	struct selfmon_cpuid_leaf features;    /* 1 */
	struct selfmon_cpuid_leaf crystal;     /* 15H */
	struct selfmon_cpuid_leaf hypervisor;  /* 40000000H */
	struct selfmon_cpuid_leaf timing;      /* 40000010H */
};

/* Ticks per second as stated by CPUID; 0 if unknown. */
struct selfmon_timestamp_rates {
	uint64_t cpuid_hz;       /* CPUID 15H */
	uint64_t hypervisor_hz;  /* CPUID 40000010H */
};

/* Executes CPUID, which takes tens of microseconds under a hypervisor. */
void selfmon_timestamp_read(struct selfmon_timestamp_leaves *leaves);

/* Decodes the leaves; ignores implausible frequencies. Makes no system call. */
void selfmon_timestamp_decode(const struct selfmon_timestamp_leaves *leaves,
			      struct selfmon_timestamp_rates *rates);

/*
 * Returns true if, on a CPU with an invariant TSC, the kernel's clock source
 * proves that the TSCs of all CPUs agree. Makes no system call.
 */
bool selfmon_timestamp_agrees(const char *clocksource);

/*
 * Returns true if selfmon_arch_timestamp() is a steady clock: its rate is
 * constant in every power state, and its value is equal on all CPUs. arm64 and
 * riscv64 guarantee both. On x86 this function executes CPUID and reads a file
 * of sysfs; returns false if that file cannot be read.
 */
bool selfmon_timestamp_steady(void);

#endif
