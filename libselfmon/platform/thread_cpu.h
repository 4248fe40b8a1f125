/* SPDX-License-Identifier: MIT */
/* Returns the CPU of the calling thread without a system call. */
#ifndef SELFMON_PLATFORM_THREAD_CPU_H
#define SELFMON_PLATFORM_THREAD_CPU_H

#include <stdint.h>

/* Value of the word of selfmon_thread_cpu() if the CPU is unknown. */
#define SELFMON_CPU_UNKNOWN UINT32_MAX

/*
 * Returns a word that the kernel sets to the number of the calling thread's
 * CPU, or a word that is always SELFMON_CPU_UNKNOWN. Valid as long as the
 * thread lives; never NULL.
 */
const uint32_t *selfmon_thread_cpu(void);

#endif
