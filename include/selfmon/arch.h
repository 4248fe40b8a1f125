/* SPDX-License-Identifier: MIT */
/*
 * Selects the machine. Each header in arch/ supplies the same names, and all
 * assembly of the library is in them:
 *
 *   SELFMON_ARCH_NAME               "x86-64", ...
 *   SELFMON_ARCH_USER_READ          1 where user space can read a counter
 *   SELFMON_ARCH_COUNTERS_HOLE      a number below that which no counter has
 *   SELFMON_ARCH_CAPABILITY_VARIES  1 where the page's user read bit comes
 *                                   and goes with the counter
 *   SELFMON_ARCH_USER_READ_UNSAFE   1 where a read may fault at any time
 *   SELFMON_ARCH_FIRMWARE_EVENTS    1 where some raw events are no counter's
 *   selfmon_arch_read_counter(i)    counter i (page index - 1), raw register
 *   selfmon_arch_timestamp()        the cheapest steady counter of time
 *   selfmon_arch_fence()            waits until earlier instructions are done
 *   selfmon_arch_thread_pointer()   differs between live threads
 *   selfmon_arch_add(p, n)          *p += n, of a word with one writer
 */
#ifndef SELFMON_ARCH_H
#define SELFMON_ARCH_H

#if defined(__x86_64__)
#include "arch/x86.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "arch/riscv64.h"
#else
#include "arch/generic.h"
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

#endif
