/* SPDX-License-Identifier: MIT */
/*
 * arm64. Counters are read from system registers, time from CNTVCT_EL0 (Arm
 * Architecture Reference Manual for A-profile, DDI 0487).
 *
 * Ordering. The lock protocol of page.h needs no ISB. Code that changes the
 * page interrupts this thread, exceptions are precise, and speculative reads
 * before an exception are repeated after it. An ISB before each counter would
 * only determine more precisely which neighbouring instructions are counted,
 * and costs some tens of cycles. Callers who need this precision request a
 * fence, as on x86.
 */
#ifndef SELFMON_ARCH_ARM64_H
#define SELFMON_ARCH_ARM64_H

#include "../compiler.h"

SELFMON_C_BEGIN

#define SELFMON_ARCH_NAME "arm64"
#define SELFMON_ARCH_USER_READ 1
#define SELFMON_ARCH_COUNTERS 32
/*
 * PMUSERENR_EL0 allows reads only while an event with user reads is on the PMU
 * (armv8pmu_start).
 */
#define SELFMON_ARCH_STALE_READ_FAULTS 1

/*
 * Bits of perf_event_attr.config1 (kernel drivers/perf/arm_pmuv3.c,
 * ATTR_CFG_FLD_long and ATTR_CFG_FLD_rdpmc): request a 64-bit counter, and user
 * reads.
 */
#define SELFMON_ARCH_ASK_LONG UINT64_C(1)
#define SELFMON_ARCH_ASK_USER UINT64_C(2)

/*
 * The system counter has one rate and one value for all CPUs; firmware must set
 * equal offsets on all CPUs (kernel Documentation/arm64/booting.rst).
 */
#define SELFMON_ARCH_TIMESTAMP_STEADY 1
/* Before Armv8.6 the usual rate is 1 to 50 MHz; since Armv8.6 it is 1 GHz. */
#define SELFMON_ARCH_TIMESTAMP_HZ_MIN 1000000

/*
 * Branches into a table of readers, one for each register, because the register
 * number is part of the instruction. The position of each entry is computed
 * from its register number, so a wrong order or length does not assemble.
 *
 * A switch would compile to a table load and the same branch: nine instructions
 * instead of five. There is no call, so no other registers are clobbered.
 * Testing for the cycle counter first would slow down all other counters.
 *
 * With branch target checks (BTI) each entry begins with a landing pad.
 */
#if defined(__ARM_FEATURE_BTI_DEFAULT)
#define SELFMON_IMPL_ENTRY_SHIFT "4"
#define SELFMON_IMPL_ENTRY_BEGIN "hint #36\n\t" /* bti j */
#else
#define SELFMON_IMPL_ENTRY_SHIFT "3"
#define SELFMON_IMPL_ENTRY_BEGIN ""
#endif
#define SELFMON_IMPL_ENTRY(i, name)                                            \
	".org 1b + (" #i " << " SELFMON_IMPL_ENTRY_SHIFT                       \
	")\n\t" SELFMON_IMPL_ENTRY_BEGIN "mrs %0, " name "\n\t"                \
	"b 2f\n\t"
#define SELFMON_IMPL_EVENT(i) SELFMON_IMPL_ENTRY(i, "pmevcntr" #i "_el0")

/*
 * The mark of a counter read: UBFM into the zero register, whose bit field
 * operands are the mark. All entries end here. Programs compile the mark in,
 * and the guard of the library must find it there. So it may change only
 * together with the layout of struct selfmon_counters.
 */
#define SELFMON_IMPL_GUARD_TEXT "ubfm xzr, %2, #41, #23"
#define SELFMON_ARCH_GUARD_MARK 0xd3695c1f /* for x0; xN: + (N << 5) */

/*
 * counter is the page's index minus one: 0 to 30 is an event counter, 31 the
 * cycle counter (kernel drivers/perf/arm_pmuv3.c, armv8pmu_user_event_idx). It
 * must be below SELFMON_ARCH_COUNTERS; page.h checks this by the same
 * comparison that detects index 0. The upper half of a 32-bit counter is
 * undefined. The read raises SIGILL if user reads are switched off. The
 * assembly is volatile, so that the compiler does not merge two reads.
 */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_read_counter(uint32_t counter,
							 const void *set)
{
	uint64_t raw;

	__asm__ __volatile__(
		"adr %0, 1f\n\t"
		"add %0, %0, %w1, uxtw #" SELFMON_IMPL_ENTRY_SHIFT "\n\t"
		"br %0\n"
		"1:\n\t"
		SELFMON_IMPL_EVENT(0)  SELFMON_IMPL_EVENT(1)
		SELFMON_IMPL_EVENT(2)  SELFMON_IMPL_EVENT(3)
		SELFMON_IMPL_EVENT(4)  SELFMON_IMPL_EVENT(5)
		SELFMON_IMPL_EVENT(6)  SELFMON_IMPL_EVENT(7)
		SELFMON_IMPL_EVENT(8)  SELFMON_IMPL_EVENT(9)
		SELFMON_IMPL_EVENT(10) SELFMON_IMPL_EVENT(11)
		SELFMON_IMPL_EVENT(12) SELFMON_IMPL_EVENT(13)
		SELFMON_IMPL_EVENT(14) SELFMON_IMPL_EVENT(15)
		SELFMON_IMPL_EVENT(16) SELFMON_IMPL_EVENT(17)
		SELFMON_IMPL_EVENT(18) SELFMON_IMPL_EVENT(19)
		SELFMON_IMPL_EVENT(20) SELFMON_IMPL_EVENT(21)
		SELFMON_IMPL_EVENT(22) SELFMON_IMPL_EVENT(23)
		SELFMON_IMPL_EVENT(24) SELFMON_IMPL_EVENT(25)
		SELFMON_IMPL_EVENT(26) SELFMON_IMPL_EVENT(27)
		SELFMON_IMPL_EVENT(28) SELFMON_IMPL_EVENT(29)
		SELFMON_IMPL_EVENT(30)
		SELFMON_IMPL_ENTRY(31, "pmccntr_el0")
		"\n2:\t" SELFMON_IMPL_GUARD_TEXT
		: "=&r"(raw)
		: "r"(counter), "r"(set));
	return raw;
}

/*
 * The read is not ordered with neighbouring instructions; add
 * selfmon_arch_fence() if needed.
 */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_timestamp(void)
{
	uint64_t ticks;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* Later reads of counters and of the time do not execute before the fence. */
SELFMON_ALWAYS_INLINE void selfmon_arch_fence(void)
{
	__asm__ __volatile__("isb" : : : "memory");
}

SELFMON_ALWAYS_INLINE void *selfmon_arch_thread_pointer(void)
{
	void *self;

	/* Volatile, because a coroutine may have changed threads. */
	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(self));
	return self;
}

/*
 * Adds n so that no addition by a signal handler is lost: an exception between
 * the load and the store makes the store fail. The compiler's own atomics would
 * check at run time, on each use, whether STADD exists.
 */
SELFMON_ALWAYS_INLINE void selfmon_arch_add(uint64_t *word, uint64_t n)
{
#if defined(__ARM_FEATURE_ATOMICS)
	__asm__ __volatile__("stadd %1, %0" : "+Q"(*word) : "r"(n));
#else
	uint64_t sum;
	uint32_t failed;

	__asm__ __volatile__("1:\tldxr %0, %2\n\t"
			     "add %0, %0, %3\n\t"
			     "stxr %w1, %0, %2\n\t"
			     "cbnz %w1, 1b"
			     : "=&r"(sum), "=&r"(failed), "+Q"(*word)
			     : "rI"(n));
#endif
}

/* Adds n in the same way, and returns the previous value. */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_take(uint64_t *word, uint64_t n)
{
	uint64_t before, sum;
	uint32_t failed;

	__asm__ __volatile__("1:\tldxr %0, %3\n\t"
			     "add %1, %0, %4\n\t"
			     "stxr %w2, %1, %3\n\t"
			     "cbnz %w2, 1b"
			     : "=&r"(before), "=&r"(sum), "=&r"(failed),
			       "+Q"(*word)
			     : "rI"(n));
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

#define SELFMON_ARCH_GOTO(label) __asm__ goto("b %l0" : : : : label)

SELFMON_C_END

#endif
