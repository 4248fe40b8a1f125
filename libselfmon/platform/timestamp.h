/* SPDX-License-Identifier: MIT */
/*
 * What the machine says of its timestamp counter: whether it is a steady
 * clock, and its frequency where that is stated. By raw CPUID: the clock is
 * needed at the first region, libcpuid not before the report.
 */
#ifndef SELFMON_PLATFORM_TIMESTAMP_H
#define SELFMON_PLATFORM_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/cpuid.h"

/* The leaves that speak of time; zeros where the CPU has none. */
struct selfmon_timestamp_leaves {
	struct selfmon_cpuid_leaf vendor;      /* 0 */
	struct selfmon_cpuid_leaf features;    /* 1 */
	struct selfmon_cpuid_leaf crystal;     /* 15H */
	struct selfmon_cpuid_leaf hypervisor;  /* 40000000H */
	struct selfmon_cpuid_leaf timing;      /* 40000010H */
};

/* Ticks a second as stated, 0: not stated. */
struct selfmon_timestamp_rates {
	uint64_t cpuid_hz;       /* CPUID 15H */
	uint64_t hypervisor_hz;  /* CPUID 40000010H */
};

/* Executes CPUID: tens of microseconds under a hypervisor. */
void selfmon_timestamp_read(struct selfmon_timestamp_leaves *leaves);

/* Pure: what the leaves say, nothing where that is no plausible frequency. */
void selfmon_timestamp_decode(const struct selfmon_timestamp_leaves *leaves,
			      struct selfmon_timestamp_rates *rates);

/* Pure: the kernel's clock source proves the counters of all CPUs agree. */
bool selfmon_timestamp_agrees(const char *clocksource);

/*
 * selfmon_arch_timestamp() is a clock here: of constant rate in every power
 * state and the same on every CPU. On arm64 and riscv64 by architecture; on
 * x86 it executes CPUID and reads a file of sysfs; where that cannot be read
 * the answer is false.
 */
bool selfmon_timestamp_steady(void);

#endif
