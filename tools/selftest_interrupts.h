/* SPDX-License-Identifier: MIT */
/* Reads /proc/interrupts. */
#ifndef SELFMON_TOOLS_SELFTEST_INTERRUPTS_H
#define SELFMON_TOOLS_SELFTEST_INTERRUPTS_H

#include <stdint.h>
#include <stdio.h>

/* Returns the number of interrupts of a CPU, or 0 if it has no column. */
uint64_t selftest_interrupts(FILE *file, int cpu);

#endif
