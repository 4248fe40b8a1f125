/* SPDX-License-Identifier: MIT */
/*
 * Chooses a clock source, and computes the conversion of its ticks from a
 * frequency. Makes no system call.
 */
#ifndef SELFMON_CLOCK_LADDER_H
#define SELFMON_CLOCK_LADDER_H

#include <selfmon/clock.h>

/*
 * Number of fraction bits in mult. The error is below 0.0025 ppm up to 10 GHz,
 * and 64-bit ticks times mult fit in 128 bits.
 */
#define SELFMON_CLOCK_SHIFT 32

/* Clock sources that this machine has. */
struct selfmon_clock_offer {
	bool direct; /* the timestamp counter is a steady clock */
	bool page;                    /* a perf page has the counter's rate */
	uint64_t cpuid_hz;            /* 0: unknown */
	uint64_t hypervisor_hz;
};

/* Returns the best available source that is not better than `best`. */
enum selfmon_clock_source
selfmon_clock_choose(const struct selfmon_clock_offer *offer,
		     enum selfmon_clock_source best);

/*
 * Sets *clock to a clock of hz ticks per second. hz must not be 0. For
 * clock_gettime a tick is 1 ns.
 */
void selfmon_clock_from_hz(struct selfmon_clock *clock,
			   enum selfmon_clock_source source, uint64_t hz);

/*
 * Returns 16 events per ns, converted to events per tick and rounded up. No
 * counter counts that fast, so higher counts are errors.
 */
uint32_t selfmon_clock_events_per_tick(uint64_t hz);

#endif
