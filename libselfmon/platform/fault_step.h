/* SPDX-License-Identifier: MIT */
/* Which faults are those of a counter read: the machine's part of fault.c. */
#ifndef SELFMON_PLATFORM_FAULT_STEP_H
#define SELFMON_PLATFORM_FAULT_STEP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* The signal of a counter read that is not allowed; 0: there are no reads. */
#if defined(__x86_64__)
#define SELFMON_FAULT_SIGNAL SIGSEGV
#elif defined(__aarch64__) || defined(__riscv)
#define SELFMON_FAULT_SIGNAL SIGILL
#else
#define SELFMON_FAULT_SIGNAL 0
#endif

/*
 * Is this a counter read with the mark and a set? Then steps over it, its
 * result 0, and gives the set.
 */
bool selfmon_fault_step(const siginfo_t *info, void *context, void **set);

#endif
