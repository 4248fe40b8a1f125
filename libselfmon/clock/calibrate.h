/* SPDX-License-Identifier: MIT */
/*
 * Measures the rate of the timestamp counter against CLOCK_MONOTONIC_RAW, with
 * two pairs of readings as far apart as time allows.
 */
#ifndef SELFMON_CLOCK_CALIBRATE_H
#define SELFMON_CLOCK_CALIBRATE_H

#include <selfmon/clock.h>

/*
 * Readings of both clocks, taken as close together as possible: the raw clock
 * is read between two reads of the counter (the bracket).
 */
struct selfmon_clock_pair {
	uint64_t ticks;        /* the middle of the bracket */
	uint64_t raw_ns;       /* read inside the bracket */
	/* Width of the bracket; the error is half of it. */
	uint64_t width_ticks;
	uint64_t asleep_ns; /* BOOTTIME - MONOTONIC; a suspend increases it */
};

/* Reads the pair `tries` times and keeps the one with the smallest bracket. */
void selfmon_clock_pair_take(struct selfmon_clock_pair *pair, int tries);

/*
 * Computes the clock and its error from two pairs. Makes no system call.
 * Returns 0, or -ERANGE if the time stood still or went backwards, or if the
 * machine was suspended in between.
 */
int selfmon_clock_from_pairs(struct selfmon_clock *clock,
			     const struct selfmon_clock_pair *first,
			     const struct selfmon_clock_pair *second);

/*
 * Calibrates the clock over the time since `first`. Waits only if its error
 * would exceed 1000 ppm: until 1 ms has passed since `first`, or since a later
 * suspend of the machine. Always sets *clock, with its error.
 */
void selfmon_clock_calibrate(struct selfmon_clock *clock,
			     const struct selfmon_clock_pair *first);

#endif
