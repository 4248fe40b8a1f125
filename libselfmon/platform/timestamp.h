/* SPDX-License-Identifier: MIT */
/*
 * Properties of the timestamp counter: whether it is a steady clock, and its
 * frequency if stated. Uses raw CPUID and not libcpuid, which only reports
 * need: the clock is needed at the first region.
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

/* The stated ticks per second; 0 if unknown. */
struct selfmon_timestamp_rates {
	uint64_t cpuid_hz;       /* CPUID 15H */
	uint64_t hypervisor_hz;  /* CPUID 40000010H */
};

/* Executes CPUID: takes tens of microseconds under a hypervisor. */
void selfmon_timestamp_read(struct selfmon_timestamp_leaves *leaves);

/* Decodes the leaves; ignores implausible frequencies. Makes no system call. */
void selfmon_timestamp_decode(const struct selfmon_timestamp_leaves *leaves,
			      struct selfmon_timestamp_rates *rates);

/*
 * Returns true if the kernel's clock source proves that the counters of all
 * CPUs agree. Makes no system call.
 */
bool selfmon_timestamp_agrees(const char *clocksource);

/*
 * Returns true if selfmon_arch_timestamp() is a clock: its rate is constant in
 * every power state, and it is equal on all CPUs. arm64 and riscv64 guarantee
 * that. On x86 this executes CPUID and reads a file of sysfs; returns false if
 * that file cannot be read.
 */
bool selfmon_timestamp_steady(void);

#endif
