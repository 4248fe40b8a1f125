/* SPDX-License-Identifier: MIT */
/*
 * The guard: if reading a counter faults, switches its set to read(2).
 *
 * The fault handler skips the faulting instruction, so the value that was read
 * is invalid. A check of the value would slow down reads that succeed. Instead
 * the handler replaces the set's pages while the read is in progress. The
 * replacement page has a lock value that no read has seen before, and no
 * counter. Each read ends by checking the lock of a page that it finds through
 * the set. So the interrupted read finds a changed lock, retries, finds no
 * counter, and falls back to read(2). The result is a count of the same event,
 * and no value is lost.
 */
#ifndef SELFMON_COUNTERS_GUARD_H
#define SELFMON_COUNTERS_GUARD_H

#include "counters/set.h"

/* Makes a set use read(2) from now on, including a user read in progress. */
void selfmon_set_take(struct selfmon_counters *counters);
/* Installs the guard's signal handler. Returns 0 or -errno. */
int selfmon_guard_install(void);
/*
 * Returns how many sets the guard switched to read(2). A forked child starts
 * with 0.
 */
uint64_t selfmon_guard_taken(void);
void selfmon_guard_forked(void);

#endif
