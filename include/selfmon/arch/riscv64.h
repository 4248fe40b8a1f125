/* SPDX-License-Identifier: MIT */
/*
 * riscv64. Counters are read from CSRs, time by rdtime (RISC-V unprivileged
 * ISA, chapters Zicntr and Zihpm).
 */
#ifndef SELFMON_ARCH_RISCV64_H
#define SELFMON_ARCH_RISCV64_H

#include "../compiler.h"

SELFMON_C_BEGIN

#define SELFMON_ARCH_NAME "riscv64"
#define SELFMON_ARCH_USER_READ 1
/*
 * A user read may raise SIGILL at any time; see
 * libselfmon/counters/user_read.c.
 */
#define SELFMON_ARCH_USER_READ_UNSAFE 1
/* Raw events with bit 63 set are counted by firmware. */
#define SELFMON_ARCH_FIRMWARE_EVENTS 1

/*
 * Page index minus one: 0 cycle, 2 instret, 3 to 31 hpmcounter3 to
 * hpmcounter31.
 */
#define SELFMON_ARCH_COUNTERS 32
/*
 * The kernel sets a counter's bit in scounteren only while the counter is in
 * use (pmu_sbi_ctr_start).
 */
#define SELFMON_ARCH_STALE_READ_FAULTS 1
/* CSR 0xc01 is time, not an event counter. */
#define SELFMON_ARCH_COUNTERS_HOLE 1
/*
 * The capability bit is set only while the event has a counter, so each read
 * checks it (kernel drivers/perf/riscv_pmu.c, arch_perf_update_userpage and
 * riscv_perf_user_access).
 */
#define SELFMON_ARCH_CAPABILITY_VARIES 1

/*
 * One counter for all harts, at a constant rate (unprivileged ISA, chapter
 * Zicntr), usually 1 to 50 MHz.
 */
#define SELFMON_ARCH_TIMESTAMP_STEADY 1
#define SELFMON_ARCH_TIMESTAMP_HZ_MIN 1000000

/*
 * Branches into a table of readers, one for each CSR, because the CSR number is
 * part of the instruction. The position of each entry is computed from its CSR
 * number, so a wrong order or length does not assemble. There is no call, so no
 * other registers are clobbered.
 */
#define SELFMON_IMPL_COUNTER(i)                                                \
	".org 1b + (" #i " << 3)\n\t"                                          \
	"csrr %0, 0xc00 + " #i "\n\t"                                          \
	"j 2f\n\t"

/*
 * The mark of a counter read: SLTI into x0, a hint reserved for custom use
 * (unprivileged ISA, chapter RV32I, HINT Instructions), whose immediate is the
 * mark. All entries end here. Programs compile the mark in, and the guard of
 * the library must find it there. So it may change only together with the layout
 * of struct selfmon_counters.
 */
#define SELFMON_IMPL_GUARD_TEXT "slti zero, %2, 0x5f3"
#define SELFMON_ARCH_GUARD_MARK 0x5f302013 /* for x0; xN: + (N << 15) */

/*
 * counter is the page's index minus one: the distance from the CSR `cycle`
 * (kernel drivers/perf/riscv_pmu_sbi.c, pmu_sbi_csr_index). It must be below
 * SELFMON_ARCH_COUNTERS and must not be SELFMON_ARCH_COUNTERS_HOLE; page.h
 * checks both. The read raises SIGILL if the counter's bit in scounteren is
 * clear. The page does not always show whether the bit is set; see
 * libselfmon/counters/user_read.c. The assembly is volatile, so that the
 * compiler does not merge two reads.
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
 * Reads the time, which is steady, the same on all harts, and the source of the
 * kernel's own clocks. The read is not ordered with neighbouring instructions;
 * add selfmon_arch_fence() if needed.
 */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_timestamp(void)
{
	uint64_t now;

	__asm__ __volatile__("rdtime %0" : "=r"(now));
	return now;
}

/*
 * riscv64 has no instruction that waits until earlier ones have retired. This
 * fence orders memory accesses and reads of CSRs, which count as device input
 * (unprivileged ISA, chapter Zicsr, "CSR Access Ordering").
 */
SELFMON_ALWAYS_INLINE void selfmon_arch_fence(void)
{
	__asm__ __volatile__("fence iorw, iorw" : : : "memory");
}

/* tp points just past the thread's control block (psABI). */
SELFMON_ALWAYS_INLINE void *selfmon_arch_thread_pointer(void)
{
	void *self;

	/* Volatile, because a coroutine may have changed threads. */
	__asm__ volatile("mv %0, tp" : "=r"(self));
	return self;
}

/*
 * Adds n in one instruction (amoadd.d without ordering). So no addition is lost
 * or doubled if a signal handler adds to the same word.
 */
SELFMON_ALWAYS_INLINE void selfmon_arch_add(uint64_t *word, uint64_t n)
{
	__atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

/* Adds n in the same way, and returns the previous value. */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_take(uint64_t *word, uint64_t n)
{
	uint64_t before;

	__asm__ __volatile__("amoadd.d %0, %2, %1"
			     : "=r"(before), "+A"(*word)
			     : "r"(n));
	return before;
}

SELFMON_ALWAYS_INLINE void selfmon_arch_sub(uint64_t *word, uint64_t n)
{
	selfmon_arch_add(word, -n);
}

SELFMON_ALWAYS_INLINE bool selfmon_arch_is(const uint32_t *word,
					   uint32_t value)
{
	return selfmon_load_once(word) == value;
}

SELFMON_ALWAYS_INLINE bool selfmon_arch_has(const uint32_t *word,
					    uint32_t bits)
{
	return (selfmon_load_once(word) & bits) != 0;
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
