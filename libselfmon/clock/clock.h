/* SPDX-License-Identifier: MIT */
/*
 * The process's clock, for use by the layers above, even before it is chosen.
 */
#ifndef SELFMON_CLOCK_CLOCK_H
#define SELFMON_CLOCK_CLOCK_H

#include <selfmon/clock.h>

#include "clock/calibrate.h"

/*
 * Called when the library is first used in the process. Decides whether the
 * timestamp counter is used, and starts the base line of a calibration. Never
 * sleeps. The first call takes about 40 us under a hypervisor; later calls take
 * one load. Thread-safe. Not async-signal-safe the first time.
 */
void selfmon_clock_anchor(void);

/*
 * Returns true if ticks are read by selfmon_arch_timestamp(), false if they are
 * read by selfmon_clock_ticks(). The result never changes in a process. Calls
 * selfmon_clock_anchor() first.
 */
bool selfmon_clock_direct(void);

/*
 * Returns an upper limit for the number of events that a counter can count in
 * one tick: 16 per nanosecond. Until the clock is chosen, the slowest known TSC
 * is assumed. Calls selfmon_clock_anchor() first.
 */
uint32_t selfmon_clock_max_events_per_tick(void);

/*
 * Sets *pair to the readings of both clocks at selfmon_clock_anchor(). Calls
 * that function first if needed.
 */
void selfmon_clock_first_pair(struct selfmon_clock_pair *pair);

/*
 * Sets *clock to the process's clock. Returns false if the clock still needs a
 * calibration, which may sleep, or if another thread is choosing the clock. If
 * the parent of a forked child was choosing at the fork, returns false in the
 * child until selfmon_clock() was called there.
 */
bool selfmon_clock_without_wait(struct selfmon_clock *clock);

/*
 * For tests: the process uses no source better than `source`. Returns 0, or
 * -EBUSY once the clock is anchored.
 */
int selfmon_clock_force(enum selfmon_clock_source source);

#endif
