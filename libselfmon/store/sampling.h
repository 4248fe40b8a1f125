/* SPDX-License-Identifier: MIT */
/*
 * The event and the period with which the process samples. session/sampling.c
 * chooses both once.
 */
#ifndef SELFMON_STORE_SAMPLING_H
#define SELFMON_STORE_SAMPLING_H

#include <selfmon/error.h>
#include <selfmon/event.h>

struct selfmon_sampling {
	bool on;
	bool clock;	    /* the period is in nanoseconds of CPU time */
	bool data;	    /* samples have the address of the accessed data */
	bool no_guest, both_modes; /* see counters/attr_fallback.h */
	uint8_t ring_order;
	struct selfmon_event event;
	uint64_t period; /* 0: see frequency */
	/*
	 * The requested period or frequency, if samples are taken less often;
	 * else 0.
	 */
	uint64_t asked;
	uint32_t frequency;
	uint32_t chain;
	uint64_t cost_ticks; /* of one sample */
	/* Why there are no samples; error is 0 if there was no failure. */
	struct selfmon_failure failure;
};

#endif
