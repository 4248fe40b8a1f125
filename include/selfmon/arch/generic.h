/* SPDX-License-Identifier: MIT */
/* Fallback for other machines: no user reads, and time from CLOCK_MONOTONIC. */
#ifndef SELFMON_ARCH_GENERIC_H
#define SELFMON_ARCH_GENERIC_H

#include <errno.h>
#include <time.h>

#include "../compiler.h"

SELFMON_C_BEGIN

#define SELFMON_ARCH_NAME "generic"
#define SELFMON_ARCH_USER_READ 0
#define SELFMON_ARCH_GUARD_MARK 0

/* Never called: no member of a set is read in user space here. */
SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_read_counter(uint32_t counter,
							 const void *set)
{
	(void)counter;
	(void)set;
	return 0;
}

/* Nanoseconds. */
SELFMON_INLINE uint64_t selfmon_arch_timestamp(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

SELFMON_ALWAYS_INLINE void selfmon_arch_fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/*
 * Not inlined, because a coroutine may change threads, while compilers assume
 * that the address of errno is the same throughout a function. The assembly
 * hides from compilers that this function only returns that address.
 */
static __attribute__((noinline, unused)) void *selfmon_arch_thread_pointer(void)
{
	void *self = &errno; /* __builtin_thread_pointer() is missing on POWER */

	__asm__ volatile("" : "+r"(self));
	return self;
}

SELFMON_ALWAYS_INLINE void selfmon_arch_add(uint64_t *word, uint64_t n)
{
	selfmon_store_once(word, *word + n);
}

SELFMON_ALWAYS_INLINE uint64_t selfmon_arch_take(uint64_t *word, uint64_t n)
{
	return __atomic_fetch_add(word, n, __ATOMIC_RELAXED);
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

SELFMON_C_END

#endif
