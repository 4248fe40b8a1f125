/* SPDX-License-Identifier: MIT */
/* Recognises faults of counter reads: the machine-dependent part of fault.c. */
#ifndef SELFMON_PLATFORM_FAULT_STEP_H
#define SELFMON_PLATFORM_FAULT_STEP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The signal that a forbidden counter read raises; 0 if the machine has no user
 * reads.
 */
#if defined(__x86_64__)
#define SELFMON_FAULT_SIGNAL SIGSEGV
#elif defined(__aarch64__) || defined(__riscv)
#define SELFMON_FAULT_SIGNAL SIGILL
#else
#define SELFMON_FAULT_SIGNAL 0
#endif

/*
 * If the faulting instruction is a counter read followed by the mark, and its
 * set is known: makes the read return 0, skips it, sets *set, and returns true.
 */
bool selfmon_fault_step(const siginfo_t *info, void *context, void **set);

#endif
