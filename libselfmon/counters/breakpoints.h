/* SPDX-License-Identifier: MIT */
/* Measures whether hardware breakpoints count on this machine. */
#ifndef SELFMON_COUNTERS_BREAKPOINTS_H
#define SELFMON_COUNTERS_BREAKPOINTS_H

#include <stdbool.h>

/*
 * Opens a breakpoint on a variable in the calling thread and stores to the
 * variable. Returns 1 if the breakpoint counted the store, or 0 if it opened
 * but counted nothing. Returns -errno if it cannot be opened or read.
 */
int selfmon_breakpoint_try(void);

/*
 * Returns false if breakpoints open on this machine, but count nothing. Returns
 * true if they count, or if the result is unknown. Measures at each call until
 * a measurement succeeds. On x86-64 outside of a virtual machine, returns true
 * without measuring.
 */
bool selfmon_breakpoints_count(void);

/* The reason that is shown for refused breakpoints. */
#define SELFMON_BREAKPOINTS_SILENT                                             \
	"breakpoints open here, but count nothing: the hypervisor does not "   \
	"virtualize the CPU's debug registers. Leave the event out"

#endif
