/* SPDX-License-Identifier: MIT */
/*
 * The event and period that the process samples: decided once, by
 * session/sampling.c.
 */
#ifndef SELFMON_STORE_SAMPLING_H
#define SELFMON_STORE_SAMPLING_H

#include <selfmon/error.h>
#include <selfmon/event.h>

struct selfmon_sampling {
	bool on;
	bool clock;	    /* the period is in ns of CPU time */
	bool data;	    /* samples have an address of data */
	bool no_guest, both_modes; /* see counters/attr_fallback.h */
	uint8_t ring_order;
	struct selfmon_event event;
	uint64_t period; /* 0: see frequency */
	uint64_t asked;	 /* as requested, if it was lengthened; else 0 */
	uint32_t frequency;
	uint32_t chain;
	uint64_t cost_ticks; /* of one sample */
	struct selfmon_failure failure; /* why not; error 0: no failure */
};

#endif
