/* SPDX-License-Identifier: MIT */
/*
 * Selects the machine. Each header in arch/ supplies the same names, and all
 * assembly of the library is in them:
 *
 *   SELFMON_ARCH_NAME               "x86-64", ...
 *   SELFMON_ARCH_USER_READ          1 where user space can read a counter
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

#endif
