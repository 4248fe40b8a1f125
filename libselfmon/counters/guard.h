/* SPDX-License-Identifier: MIT */
/*
 * The guard: moves sets with faulting counter reads to read(2).
 *
 * The faulting instruction was skipped and its result is invalid. Detecting
 * that must not slow down successful reads. So the guard replaces the set's
 * pages during the read. The new page has a lock value that was never seen, and
 * no counter. Each read ends by checking the lock of a page that it finds
 * through the set. It finds the lock changed, retries, finds no counter, and
 * falls back to read(2). The result is a count of the same event, and no value
 * is lost.
 */
#ifndef SELFMON_COUNTERS_GUARD_H
#define SELFMON_COUNTERS_GUARD_H

#include "counters/set.h"

/* Ends a set's user reads, including one in progress. */
void selfmon_set_take(struct selfmon_counters *counters);
/* Returns 0, or an error of selfmon_guard_check(). */
int selfmon_guard_install(void);
/* Returns the number of sets that the guard moved to read(2); 0 in a child. */
uint64_t selfmon_guard_taken(void);
void selfmon_guard_forked(void);

#endif
