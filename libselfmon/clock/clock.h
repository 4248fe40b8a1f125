/* SPDX-License-Identifier: MIT */
/* The process's clock, for the layers above: what they ask before it runs. */
#ifndef SELFMON_CLOCK_CLOCK_H
#define SELFMON_CLOCK_CLOCK_H

#include <selfmon/clock.h>

#include "clock/calibrate.h"

/*
 * Called when the library is first used in the process: decides whether the
 * timestamp counter is taken, and starts the base line of a calibration. Does
 * not wait; the first call takes about 40 us under a hypervisor, later ones
 * one load. Thread-safe. Not async-signal-safe the first time.
 */
void selfmon_clock_anchor(void);

/*
 * selfmon_arch_timestamp() is the tick; otherwise selfmon_clock_ticks() has
 * to be called. The same answer for the life of the process. Anchors.
 */
bool selfmon_clock_direct(void);

/*
 * No counter can count more in one tick than this: 16 a nanosecond. Before
 * the clock is chosen a bound for the slowest TSC there is. Anchors.
 */
uint32_t selfmon_clock_max_events_per_tick(void);

/* The moment of the anchor, by both clocks. Anchors. */
void selfmon_clock_first_pair(struct selfmon_clock_pair *pair);

/*
 * The process's clock, unless it is still to be calibrated, which waits: then
 * false.
 */
bool selfmon_clock_without_wait(struct selfmon_clock *clock);

/*
 * For tests: nothing better than `source` is taken. 0, or -EBUSY once the
 * clock is anchored.
 */
int selfmon_clock_force(enum selfmon_clock_source source);

#endif
