/* SPDX-License-Identifier: MIT */
/* Reads a set that counts several threads: each event by its own read(2). */
#ifndef SELFMON_COUNTERS_THREADS_READ_H
#define SELFMON_COUNTERS_THREADS_READ_H

#include "counters/threads.h"

/*
 * Adds up the values of all threads. ticks is the current time. A descriptor is
 * checked again if its last check is at least `trusted` ticks old, since other
 * code may have reused its number. If `end` is true, the order of reads is
 * reversed, for the end of an interval. Returns the SELFMON_SNAPSHOT_LOST_*
 * flags of groups that could not be read. Async-signal-safe.
 */
uint32_t selfmon_threads_read(struct selfmon_set *set,
			      struct selfmon_snapshot *snapshot, uint64_t ticks,
			      uint64_t trusted, bool end);

#endif
