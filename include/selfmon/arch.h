/* SPDX-License-Identifier: MIT */
/*
 * Selects the machine. Each header in arch/ supplies the same names, and all
 * assembly of the library is in them:
 *
 *   SELFMON_ARCH_NAME               "x86-64", ...
 *   SELFMON_ARCH_USER_READ          1 where user space can read a counter
 *   SELFMON_ARCH_COUNTERS           numbers of counters are below this
 *   SELFMON_ARCH_COUNTERS_HOLE      a number below that which no counter has
 *   SELFMON_ARCH_CAPABILITY_VARIES  1 where the page's user read bit comes
 *                                   and goes with the counter
 *   SELFMON_ARCH_USER_READ_UNSAFE   1 where a read may fault at any time
 *   SELFMON_ARCH_FIRMWARE_EVENTS    1 where some raw events are no counter's
 *   SELFMON_ARCH_STALE_READ_FAULTS  1 where a counter can be read only while an
 *                                   event of the thread is on it
 *   SELFMON_ARCH_RAW_IS_CLEAN       1 where a register's upper bits read as 0
 *   SELFMON_ARCH_ASK_LONG, _USER    bits of config1 that ask for user reads
 *   SELFMON_ARCH_TIMESTAMP_STEADY   1 where the machine promises it
 *   SELFMON_ARCH_TIMESTAMP_HZ_MIN   no timestamp is slower
 *   SELFMON_ARCH_GUARD_MARK         says that a counter was read just before
 *   selfmon_arch_read_counter(i, set)  counter i (page index - 1), raw register
 *   selfmon_arch_timestamp()        the cheapest steady counter of time
 *   selfmon_arch_fence()            waits until earlier instructions are done
 *   selfmon_arch_thread_pointer()   differs between live threads
 *   selfmon_arch_add(p, n)          *p += n, of a word with one writer
 *   selfmon_arch_is(p, v)           *p == v, loaded once, of 32 bits
 *   selfmon_arch_is_above(p, v)     *p > v, likewise, of 64 bits, signed
 *   selfmon_arch_counter(x, &i)     i = page index x - 1; false: x is 0
 *   selfmon_arch_plus(v, p)         v + *p, likewise
 *   SELFMON_ARCH_GOTO(label)        goto; may be missing
 *
 * Behind each instruction that reads a counter stands one that does nothing
 * and names a register: in it is the counter set that is being read, or NULL.
 * If the read faults, the guard (libselfmon/counters/guard.c) knows by the
 * mark that it is one of ours, and by the register whose it is. So there is no
 * table to be kept, wherever the code was inlined to.
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

/* What a machine's header need not say. */
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
/* The slowest invariant TSC known is an Atom of 800 MHz. */
#define SELFMON_ARCH_TIMESTAMP_HZ_MIN 800000000
#endif

#endif
