/* SPDX-License-Identifier: MIT */
/* Which clock to take, and its conversion from a frequency. Pure. */
#ifndef SELFMON_CLOCK_LADDER_H
#define SELFMON_CLOCK_LADDER_H

#include <selfmon/clock.h>

/*
 * Fraction bits of mult in the clocks made here: an error below 0.0025 ppm
 * up to 10 GHz; 64-bit ticks times mult stay within 128 bits.
 */
#define SELFMON_CLOCK_SHIFT 32

/* What the machine offers. */
struct selfmon_clock_offer {
	bool direct;                  /* the timestamp counter is a clock */
	bool page;                    /* and a perf page converts it */
	uint64_t cpuid_hz;            /* 0: not stated */
	uint64_t hypervisor_hz;
};

/* The best source on offer that is not better than `best`. */
enum selfmon_clock_source
selfmon_clock_choose(const struct selfmon_clock_offer *offer,
		     enum selfmon_clock_source best);

/* A clock of hz ticks a second, hz not 0; clock_gettime's is 1 tick = 1 ns. */
void selfmon_clock_from_hz(struct selfmon_clock *clock,
			   enum selfmon_clock_source source, uint64_t hz);

/* 16 events a ns, more than any counter counts, for each tick; rounded up. */
uint32_t selfmon_clock_events_per_tick(uint64_t hz);

#endif
