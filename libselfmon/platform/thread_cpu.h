/* SPDX-License-Identifier: MIT */
/* Which CPU the calling thread runs on, without a system call. */
#ifndef SELFMON_PLATFORM_THREAD_CPU_H
#define SELFMON_PLATFORM_THREAD_CPU_H

#include <stdint.h>

/* What a word of selfmon_thread_cpu() holds where the CPU is not known. */
#define SELFMON_CPU_UNKNOWN UINT32_MAX

/*
 * A word that the kernel keeps at the number of the CPU the calling thread
 * runs on, or one that holds SELFMON_CPU_UNKNOWN for ever. Valid as long as
 * the thread lives; never NULL.
 */
const uint32_t *selfmon_thread_cpu(void);

#endif
