/* SPDX-License-Identifier: MIT */
/*
 * riscv64. Counters by their CSRs, time by rdtime (RISC-V unprivileged ISA,
 * chapters Zicntr and Zihpm).
 */
#ifndef SELFMON_ARCH_RISCV64_H
#define SELFMON_ARCH_RISCV64_H

#include "../compiler.h"

SELFMON_C_BEGIN

#define SELFMON_ARCH_NAME "riscv64"
#define SELFMON_ARCH_USER_READ 1
/* A read may raise SIGILL at any time: see libselfmon/counters/user_read.c. */
#define SELFMON_ARCH_USER_READ_UNSAFE 1
/* Raw events with bit 63 set are the firmware's. */
#define SELFMON_ARCH_FIRMWARE_EVENTS 1

/* Index less one: 0 cycle, 2 instret, 3 to 31 hpmcounter3 to hpmcounter31. */
#define SELFMON_ARCH_COUNTERS 32
/* scounteren has the bits of counters in use (pmu_sbi_ctr_start). */
#define SELFMON_ARCH_STALE_READ_FAULTS 1
/* What would be CSR 0xc01 is time and counts no event. */
#define SELFMON_ARCH_COUNTERS_HOLE 1
/*
 * The capability bit says here whether the event owns a counter now (kernel
 * drivers/perf/riscv_pmu.c, arch_perf_update_userpage and
 * riscv_perf_user_access), so each read looks at it.
 */
#define SELFMON_ARCH_CAPABILITY_VARIES 1

/*
 * One for all harts, at a constant rate (unprivileged ISA, chapter Zicntr);
 * 1 to 50 MHz are usual.
 */
#define SELFMON_ARCH_TIMESTAMP_STEADY 1
#define SELFMON_ARCH_TIMESTAMP_HZ_MIN 1000000

/*
 * A row of readers, one a CSR, and a branch into it: the number of the CSR is
 * a part of the instruction. Entry i is put at its place by the very number
 * that names its CSR: in the wrong order or of the wrong length it does not
 * assemble. Nothing is called, so the registers around it are left alone.
 */
#define SELFMON_IMPL_COUNTER(i)                                                \
	".org 1b + (" #i " << 3)\n\t"                                          \
	"csrr %0, 0xc00 + " #i "\n\t"                                          \
	"j 2f\n\t"

/*
 * SLTI into x0, a hint left to custom use (unprivileged ISA, chapter RV32I,
 * HINT Instructions): the immediate says that it is ours. Kept while struct
 * selfmon_counters is. All entries lead to the one.
 */
#define SELFMON_IMPL_GUARD_TEXT "slti zero, %2, 0x5f3"
#define SELFMON_ARCH_GUARD_MARK 0x5f302013 /* of x0: register << 15 */

/*
 * counter is the page index less one: it counts from the CSR cycle (kernel
 * drivers/perf/riscv_pmu_sbi.c, pmu_sbi_csr_index). Must be below
 * SELFMON_ARCH_COUNTERS and not the hole: page.h looks. Faults (SIGILL) where
 * the counter's bit in scounteren is clear, which the page does not always
 * tell: see libselfmon/counters/user_read.c. Volatile, so that two reads are two
 * reads.
 */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_read_counter(uint32_t counter,
							 const void *set)
{
	const uint64_t place = (uint64_t)counter << 3;
	uint64_t raw;

	__asm__ __volatile__(
		".option push\n\t"
		".option norvc\n\t"
		".option norelax\n\t"
		"lla %0, 1f\n\t"
		"add %0, %0, %1\n\t"
		"jr %0\n"
		"1:\n\t"
		SELFMON_IMPL_COUNTER(0)
		SELFMON_IMPL_COUNTER(2) SELFMON_IMPL_COUNTER(3)
		SELFMON_IMPL_COUNTER(4) SELFMON_IMPL_COUNTER(5)
		SELFMON_IMPL_COUNTER(6) SELFMON_IMPL_COUNTER(7)
		SELFMON_IMPL_COUNTER(8) SELFMON_IMPL_COUNTER(9)
		SELFMON_IMPL_COUNTER(10) SELFMON_IMPL_COUNTER(11)
		SELFMON_IMPL_COUNTER(12) SELFMON_IMPL_COUNTER(13)
		SELFMON_IMPL_COUNTER(14) SELFMON_IMPL_COUNTER(15)
		SELFMON_IMPL_COUNTER(16) SELFMON_IMPL_COUNTER(17)
		SELFMON_IMPL_COUNTER(18) SELFMON_IMPL_COUNTER(19)
		SELFMON_IMPL_COUNTER(20) SELFMON_IMPL_COUNTER(21)
		SELFMON_IMPL_COUNTER(22) SELFMON_IMPL_COUNTER(23)
		SELFMON_IMPL_COUNTER(24) SELFMON_IMPL_COUNTER(25)
		SELFMON_IMPL_COUNTER(26) SELFMON_IMPL_COUNTER(27)
		SELFMON_IMPL_COUNTER(28) SELFMON_IMPL_COUNTER(29)
		SELFMON_IMPL_COUNTER(30) SELFMON_IMPL_COUNTER(31)
		"\n2:\n\t"
		SELFMON_IMPL_GUARD_TEXT "\n\t"
		".option pop"
		: "=&r"(raw)
		: "r"(place), "r"(set));
	return raw;
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

	/* volatile: a coroutine may be on another thread since the last. */
	__asm__ volatile("mv %0, tp" : "=r"(self));
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

SELFMON_ALWAYS_INLINE bool selfmon_arch_is(const uint32_t *word,
					   uint32_t value)
{
	return selfmon_load_once(word) == value;
}

SELFMON_ALWAYS_INLINE bool selfmon_arch_is_above(const uint64_t *word,
						 uint64_t value)
{
	return (int64_t)selfmon_load_once(word) > (int64_t)value;
}

SELFMON_ALWAYS_INLINE bool selfmon_arch_counter(uint32_t index,
						uint32_t *counter)
{
	*counter = index - 1;
	return index != 0;
}

SELFMON_ALWAYS_INLINE uint32_t selfmon_arch_plus(uint32_t sum,
						 const uint32_t *word)
{
	return sum + selfmon_load_once(word);
}

#define SELFMON_ARCH_GOTO(label) __asm__ goto("j %l0" : : : : label)

SELFMON_C_END

#endif
