/* SPDX-License-Identifier: MIT */
/*
 * riscv64. Counters by their CSRs, time by rdtime (RISC-V unprivileged ISA,
 * chapters Zicntr and Zihpm).
 */
#ifndef SELFMON_ARCH_RISCV64_H
#define SELFMON_ARCH_RISCV64_H

#include "../compiler.h"

#define SELFMON_ARCH_NAME "riscv64"
#define SELFMON_ARCH_USER_READ 1

/*
 * The number of a CSR is a part of the instruction, so each counter has one of
 * its own. The page index less one counts from the CSR cycle (kernel
 * drivers/perf/riscv_pmu_sbi.c, pmu_sbi_csr_index): 0xc00 cycle, 0xc02
 * instret, 0xc03 to 0xc1f hpmcounter3 to hpmcounter31. Volatile, so that two
 * reads are two reads.
 */
#define SELFMON_ARCH_COUNTER(i)                                                \
	case i:                                                                \
		__asm__ __volatile__("csrr %0, %1"                             \
				     : "=r"(value)                             \
				     : "i"(0xc00 + (i)));                      \
		break

/*
 * Faults (SIGILL) where the kernel has not set the counter's bit in
 * scounteren: whenever no mapped event of this thread owns it. Entry 1 is
 * missing, since 0xc01 is time and counts no event; it answers 0 as do
 * numbers beyond the last counter, and none of them is ever an index.
 */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_read_counter(uint32_t counter)
{
	uint64_t value = 0;

	switch (counter) {
	SELFMON_ARCH_COUNTER(0);
	SELFMON_ARCH_COUNTER(2);
	SELFMON_ARCH_COUNTER(3);
	SELFMON_ARCH_COUNTER(4);
	SELFMON_ARCH_COUNTER(5);
	SELFMON_ARCH_COUNTER(6);
	SELFMON_ARCH_COUNTER(7);
	SELFMON_ARCH_COUNTER(8);
	SELFMON_ARCH_COUNTER(9);
	SELFMON_ARCH_COUNTER(10);
	SELFMON_ARCH_COUNTER(11);
	SELFMON_ARCH_COUNTER(12);
	SELFMON_ARCH_COUNTER(13);
	SELFMON_ARCH_COUNTER(14);
	SELFMON_ARCH_COUNTER(15);
	SELFMON_ARCH_COUNTER(16);
	SELFMON_ARCH_COUNTER(17);
	SELFMON_ARCH_COUNTER(18);
	SELFMON_ARCH_COUNTER(19);
	SELFMON_ARCH_COUNTER(20);
	SELFMON_ARCH_COUNTER(21);
	SELFMON_ARCH_COUNTER(22);
	SELFMON_ARCH_COUNTER(23);
	SELFMON_ARCH_COUNTER(24);
	SELFMON_ARCH_COUNTER(25);
	SELFMON_ARCH_COUNTER(26);
	SELFMON_ARCH_COUNTER(27);
	SELFMON_ARCH_COUNTER(28);
	SELFMON_ARCH_COUNTER(29);
	SELFMON_ARCH_COUNTER(30);
	SELFMON_ARCH_COUNTER(31);
	default:
		break;
	}
	return value;
}

/*
 * Steady, the same on all harts, and what the kernel's own clocks are made
 * of. Not ordered with its neighbours; put selfmon_arch_fence() around it.
 */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_timestamp(void)
{
	uint64_t now;

	__asm__ __volatile__("rdtime %0" : "=r"(now));
	return now;
}

/*
 * No instruction here waits for earlier ones to retire. This one orders
 * memory, and reads of CSRs with it, which count as device input
 * (unprivileged ISA, chapter Zicsr, "CSR Access Ordering").
 */
SELFMON_ALWAYS_INLINE void selfmon_arch_fence(void)
{
	__asm__ __volatile__("fence iorw, iorw" : : : "memory");
}

/* tp points behind the thread's control block (psABI). */
SELFMON_ALWAYS_INLINE void *selfmon_arch_thread_pointer(void)
{
	void *self;

	__asm__("mv %0, tp" : "=r"(self));
	return self;
}

/*
 * *word += n in one instruction (amoadd.d without ordering), so that a signal
 * handler which adds to the same word neither loses nor doubles anything.
 */
SELFMON_ALWAYS_INLINE void selfmon_arch_add(uint64_t *word, uint64_t n)
{
	__atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

#endif
