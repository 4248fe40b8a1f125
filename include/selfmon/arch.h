/* SPDX-License-Identifier: MIT */
/*
 * Selects the machine. The headers in arch/ define the names below. If a header
 * leaves out a macro, its default is at the end of this file. All assembly of
 * the library is in these headers.
 *
 *   SELFMON_ARCH_NAME               "x86-64", ...
 *   SELFMON_ARCH_USER_READ          1 if user space can read counters
 *   SELFMON_ARCH_COUNTERS           counter numbers are below this
 *   SELFMON_ARCH_COUNTERS_HOLE      a number below COUNTERS that is no counter
 *   SELFMON_ARCH_CAPABILITY_VARIES  1 if the page's user read bit is set only
 *                                   while the event has a counter
 *   SELFMON_ARCH_USER_READ_UNSAFE   1 if a read may fault at any time
 *   SELFMON_ARCH_FIRMWARE_EVENTS    1 if firmware counts some raw events
 *   SELFMON_ARCH_STALE_READ_FAULTS  1 if a counter can be read only while an
 *                                   event of the thread uses it
 *   SELFMON_ARCH_RAW_IS_CLEAN       1 if a register's upper bits read as 0
 *   SELFMON_ARCH_ASK_LONG, _USER    bits of config1 that request a 64-bit
 *                                   counter, and user reads
 *   SELFMON_ARCH_TIMESTAMP_STEADY   1 if the architecture guarantees a steady
 *                                   timestamp counter
 *   SELFMON_ARCH_TIMESTAMP_HZ_MIN   lowest frequency of a timestamp counter
 *   SELFMON_ARCH_GUARD_MARK         marks a counter read for the guard
 *   selfmon_arch_read_counter(i, set)  counter i (page index - 1), raw register
 *   selfmon_arch_store_counter(i, set, p)  stores the counter to *p
 *   selfmon_arch_timestamp()        reads the cheapest steady time counter
 *   selfmon_arch_fence()            waits for earlier instructions
 *   selfmon_arch_thread_pointer()   differs between live threads
 *   selfmon_arch_add(p, n), _sub    *p += n, *p -= n; the word has one writer
 *   selfmon_arch_take(p, n)         like selfmon_arch_add(); returns the value
 *                                   before the addition
 *   selfmon_arch_is(p, v)           *p == v, loaded once, 32 bits
 *   selfmon_arch_has(p, bits)       *p has one of the bits, loaded once, 32
 *                                   bits
 *   selfmon_arch_is_above(p, v)     *p > v, loaded once, 64 bits, signed
 *   selfmon_arch_counter(x, &i)     i = page index x - 1; false: x is 0
 *   selfmon_arch_plus(v, p)         v + *p, loaded once
 *   selfmon_arch_seem_set(p)        makes the compiler assume that *p is set;
 *                                   takes no instruction
 *   SELFMON_ARCH_LABEL(name)        sets the symbol of a variable or function
 *   SELFMON_ARCH_GOTO(label)        goto in assembly; may be missing
 *   SELFMON_ARCH_INLINES            1 if visits can be inlined into regions
 *
 * Only with SELFMON_ARCH_INLINES:
 *   selfmon_arch_stack_pointer()    the stack pointer
 *   selfmon_arch_is_above_stack(p)  *p > stack pointer, loaded once, signed
 *   selfmon_arch_store_stack(p)     *p = stack pointer, in one store
 *
 * Each counter read is followed by an instruction without effect, the mark. One
 * operand of the mark is a register with the address of the counter set, or
 * NULL. If the read faults, the guard (libselfmon/counters/guard.c) recognises
 * the mark and finds the set in that register. No table of inlined reads is
 * needed.
 */
#ifndef SELFMON_ARCH_H
#define SELFMON_ARCH_H

#if defined(__x86_64__)
#include "arch/x86.h"
#elif defined(__aarch64__)
#include "arch/arm64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "arch/riscv64.h"
#else
#include "arch/generic.h"
#endif

#define SELFMON_ARCH_LABEL(name) __asm__(name)

SELFMON_ALWAYS_INLINE void selfmon_arch_seem_set(void **pointer)
{
	__asm__("" : "=m"(*pointer));
}

#ifndef SELFMON_ARCH_STORE_COUNTER
SELFMON_ALWAYS_INLINE void
selfmon_arch_store_counter(uint32_t counter, const void *set, uint64_t *value)
{
	*value = selfmon_arch_read_counter(counter, set);
}
#endif

/* Default values for names that the machine's header does not define. */
#ifndef SELFMON_ARCH_STALE_READ_FAULTS
#define SELFMON_ARCH_STALE_READ_FAULTS 0
#endif
#ifndef SELFMON_ARCH_RAW_IS_CLEAN
#define SELFMON_ARCH_RAW_IS_CLEAN 0
#endif
#ifndef SELFMON_ARCH_COUNTERS_HOLE
#define SELFMON_ARCH_COUNTERS_HOLE UINT32_MAX
#endif
#ifndef SELFMON_ARCH_CAPABILITY_VARIES
#define SELFMON_ARCH_CAPABILITY_VARIES 0
#endif
#ifndef SELFMON_ARCH_USER_READ_UNSAFE
#define SELFMON_ARCH_USER_READ_UNSAFE 0
#define SELFMON_ARCH_FIRMWARE_EVENTS 0
#endif
#ifndef SELFMON_ARCH_COUNTERS
#define SELFMON_ARCH_COUNTERS UINT32_MAX
#endif
#ifndef SELFMON_ARCH_ASK_USER
#define SELFMON_ARCH_ASK_LONG UINT64_C(0)
#define SELFMON_ARCH_ASK_USER UINT64_C(0)
#endif
#ifndef SELFMON_ARCH_TIMESTAMP_STEADY
#define SELFMON_ARCH_TIMESTAMP_STEADY 0
#endif
#ifndef SELFMON_ARCH_TIMESTAMP_HZ_MIN
/* The slowest known invariant TSC belongs to an Atom with 800 MHz. */
#define SELFMON_ARCH_TIMESTAMP_HZ_MIN 800000000
#endif

#endif
