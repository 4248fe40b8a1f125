/* SPDX-License-Identifier: MIT */
/*
 * The rate of the timestamp counter, measured against CLOCK_MONOTONIC_RAW:
 * two pairs of readings, as far apart as time allows.
 */
#ifndef SELFMON_CLOCK_CALIBRATE_H
#define SELFMON_CLOCK_CALIBRATE_H

#include <selfmon/clock.h>

/* Both clocks read at one moment, as near as can be. */
struct selfmon_clock_pair {
	uint64_t ticks;        /* the middle of the bracket */
	uint64_t raw_ns;       /* read inside it */
	uint64_t width_ticks;  /* of the bracket; the error is half of it */
	uint64_t asleep_ns;    /* BOOTTIME - MONOTONIC: moves over a suspend */
};

/* Reads the pair `tries` times and keeps the one of the tightest bracket. */
void selfmon_clock_pair_take(struct selfmon_clock_pair *pair, int tries);

/*
 * Pure: the clock that leads from one pair to the other, with its error.
 * 0, or -ERANGE where they cannot be two readings of a running machine: time
 * stood still, went back, or the machine was suspended in between.
 */
int selfmon_clock_from_pairs(struct selfmon_clock *clock,
			     const struct selfmon_clock_pair *first,
			     const struct selfmon_clock_pair *second);

/*
 * The calibrated clock, over the time since `first`. Waits only where its
 * error would exceed 1000 ppm: until 1 ms has passed since `first`, or since a
 * suspend of the machine after it. Always gives a clock, with its error.
 */
void selfmon_clock_calibrate(struct selfmon_clock *clock,
			     const struct selfmon_clock_pair *first);

#endif
