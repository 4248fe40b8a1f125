/* SPDX-License-Identifier: MIT */
/*
 * x86-64. Counters are read by RDPMC, time by RDTSC (Intel SDM volume 2, RDPMC
 * and RDTSC; AMD APM volume 3).
 */
#ifndef SELFMON_ARCH_X86_H
#define SELFMON_ARCH_X86_H

#include "../compiler.h"

SELFMON_C_BEGIN

#define SELFMON_ARCH_NAME "x86-64"
#define SELFMON_ARCH_USER_READ 1
/*
 * RDPMC zero-extends the counter: see "ZeroExtend" in the instruction's
 * operation (SDM volume 2).
 */
#define SELFMON_ARCH_RAW_IS_CLEAN 1

/*
 * The mark of a counter read: the displacement of a long NOP. Programs
 * compile it in, and the guard of the library must find it there. So it may
 * change only together with the layout of struct selfmon_counters.
 */
#define SELFMON_ARCH_GUARD_MARK 0x53466d01
#define SELFMON_IMPL_GUARD_TEXT "0x53466d01"

/*
 * counter is the page's index minus one: a general counter, or (1 << 30) | k
 * for Intel's fixed counter k (kernel arch/x86/events/core.c,
 * x86_pmu_event_idx). The read raises SIGSEGV if the counter does not exist or
 * if user reads are switched off. The assembly is volatile, so that the
 * compiler does not merge two reads.
 */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_read_counter(uint32_t counter,
							 const void *set)
{
	uint64_t low, high; /* both zero-extended by the instruction */

	__asm__ __volatile__("rdpmc\n\t"
			     "nopl " SELFMON_IMPL_GUARD_TEXT "(%3)"
			     : "=&a"(low), "=&d"(high)
			     : "c"(counter), "r"(set));
	return (high << 32) + low; /* a sum, so that the compiler can use LEA */
}

/*
 * Stores the two halves of a register separately. A load of the whole word may
 * have to wait until both stores are complete, so use this only for a word that
 * is loaded much later.
 */
#define SELFMON_ARCH_STORE_COUNTER 1
SELFMON_ALWAYS_INLINE void
selfmon_arch_store_counter(uint32_t counter, const void *set, uint64_t *value)
{
	typedef uint32_t __attribute__((__may_alias__)) selfmon_half;
	volatile selfmon_half *const half = (volatile selfmon_half *)value;
	uint32_t low, high;

	__asm__ __volatile__("rdpmc\n\t"
			     "nopl " SELFMON_IMPL_GUARD_TEXT "(%3)"
			     : "=&a"(low), "=&d"(high)
			     : "c"(counter), "r"(set));
	half[0] = low;
	half[1] = high;
}

/*
 * The read is not ordered with neighbouring instructions; add
 * selfmon_arch_fence() if needed.
 */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_timestamp(void)
{
	uint64_t low, high; /* both zero-extended by the instruction */

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
	return (high << 32) + low; /* a sum, so that the compiler can use LEA */
}

/*
 * LFENCE waits for all earlier instructions: on Intel by architecture, on AMD
 * because Linux sets DE_CFG[1].
 */
SELFMON_ALWAYS_INLINE void selfmon_arch_fence(void)
{
	__asm__ __volatile__("lfence" : : : "memory");
}

/*
 * Enter and leave can be inlined: a single load through the segment register
 * reads a thread-local variable of the program itself, so compilers do not keep
 * its address across a switch of threads.
 */
#define SELFMON_ARCH_INLINES 1

SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_stack_pointer(void)
{
	uint64_t address;

	__asm__ __volatile__("movq %%rsp, %0" : "=r"(address));
	return address;
}

/*
 * Compare a word with the stack pointer like selfmon_arch_is_above(), and store
 * the stack pointer. Neither needs another register.
 */
SELFMON_ALWAYS_INLINE bool selfmon_arch_is_above_stack(const uint64_t *word)
{
	bool above;

	__asm__ __volatile__("cmpq %%rsp, %1" : "=@ccg"(above) : "m"(*word));
	return above;
}

SELFMON_ALWAYS_INLINE void selfmon_arch_store_stack(uint64_t *word)
{
	__asm__ __volatile__("movq %%rsp, %0" : "=m"(*word));
}

/* The first word of the thread control block points to itself (psABI). */
SELFMON_ALWAYS_INLINE void *selfmon_arch_thread_pointer(void)
{
	void *self;

	/* Volatile, because a coroutine may have changed threads. */
	__asm__ volatile("movq %%fs:0, %0" : "=r"(self));
	return self;
}

/*
 * Adds n in one instruction. It is not atomic across CPUs, but concurrent
 * readers never see a torn value, and no addition by a signal handler is lost.
 */
SELFMON_ALWAYS_INLINE void selfmon_arch_add(uint64_t *word, uint64_t n)
{
	__asm__("addq %1, %0" : "+m"(*word) : "er"(n));
}

/*
 * Adds n in one instruction, and returns the previous value. Not atomic across
 * CPUs; a signal handler runs before or after the addition.
 */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_take(uint64_t *word, uint64_t n)
{
	__asm__("xaddq %0, %1" : "+r"(n), "+m"(*word));
	return n;
}

SELFMON_ALWAYS_INLINE void selfmon_arch_sub(uint64_t *word, uint64_t n)
{
	__asm__("subq %1, %0" : "+m"(*word) : "er"(n));
}

/*
 * Compares directly in memory. Compilers would first load a volatile word into
 * a register.
 */
SELFMON_ALWAYS_INLINE bool selfmon_arch_is(const uint32_t *word,
					   uint32_t value)
{
	bool equal;

	__asm__ __volatile__("cmpl %2, %1"
			     : "=@cce"(equal)
			     : "m"(*word), "er"(value));
	return equal;
}

SELFMON_ALWAYS_INLINE bool selfmon_arch_has(const uint32_t *word,
					    uint32_t bits)
{
	bool any;

	__asm__ __volatile__("testl %2, %1"
			     : "=@ccnz"(any)
			     : "m"(*word), "er"(bits));
	return any;
}

SELFMON_ALWAYS_INLINE bool selfmon_arch_is_above(const uint64_t *word,
						 uint64_t value)
{
	bool above;

	__asm__ __volatile__("cmpq %2, %1"
			     : "=@ccg"(above)
			     : "m"(*word), "r"(value));
	return above;
}

/*
 * One SUB computes the counter and detects 0; compilers would use two
 * instructions.
 */
SELFMON_ALWAYS_INLINE bool selfmon_arch_counter(uint32_t index,
						uint32_t *counter)
{
	bool none;

	*counter = index;
	__asm__("subl $1, %0" : "+r"(*counter), "=@ccc"(none));
	return !none;
}

/* Adds a word from memory, without a separate load instruction. */
SELFMON_ALWAYS_INLINE uint32_t selfmon_arch_plus(uint32_t sum,
						 const uint32_t *word)
{
	__asm__ __volatile__("addl %1, %0" : "+r"(sum) : "m"(*word));
	return sum;
}

#define SELFMON_ARCH_GOTO(label) __asm__ goto("jmp %l0" : : : : label)

SELFMON_C_END

#endif
