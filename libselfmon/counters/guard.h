/* SPDX-License-Identifier: MIT */
/* The guard: if reading a counter faults, switches its set to read(2). */
#ifndef SELFMON_COUNTERS_GUARD_H
#define SELFMON_COUNTERS_GUARD_H

#include "counters/set.h"

/*
 * Makes a set use read(2) from now on. A user read in progress also ends with
 * read(2).
 */
void selfmon_set_take(struct selfmon_counters *counters);
/* Installs the guard's signal handler. Returns 0 or -errno. */
int selfmon_guard_install(void);
/*
 * Returns how many sets the guard switched to read(2). A forked child sets this
 * number to 0 by selfmon_guard_forked().
 */
uint64_t selfmon_guard_taken(void);
void selfmon_guard_forked(void);

#endif
