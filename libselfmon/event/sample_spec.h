/* SPDX-License-Identifier: MIT */
/*
 * Parses SELFMON_SAMPLE: none, auto, or
 * EVENT[@PERIOD][,chain=N][,ring=SIZE][,drain=border|thread]. Does not look up
 * the names of events.
 */
#ifndef SELFMON_EVENT_SAMPLE_SPEC_H
#define SELFMON_EVENT_SAMPLE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <selfmon/error.h>

/*
 * The minimum period of samples by a clock, and the maximum frequency of
 * samples by any event. With much shorter periods, samples would take most of
 * the thread's time.
 */
#define SELFMON_SAMPLE_NS_MIN UINT64_C(200000)
#define SELFMON_SAMPLE_HZ_MAX 5000u
#define SELFMON_SAMPLE_CHAIN 32u

struct selfmon_sample_spec {
	char event[SELFMON_EVENT_NAME_SIZE]; /* "": no samples; may be "auto" */
	/*
	 * The requested period, in ns if `time` is true; 0 if none was
	 * requested.
	 */
	uint64_t period;
	bool time;
	uint32_t frequency;  /* in Hz, as given; 0: none */
	/* Maximum number of addresses in a call stack: 1 to 127. */
	uint32_t chain;
	uint8_t ring_order;  /* log2 of the number of 4 KiB pages */
	/*
	 * drain=border: the library starts no thread that reads the rings. They
	 * are read when visits end, labels change or reports are taken.
	 */
	bool at_borders;
};

/*
 * Returns 0, or -EINVAL with a message in `why`: what is wrong, and what is
 * allowed.
 */
int selfmon_sample_spec_parse(const char *text,
			      struct selfmon_sample_spec *spec, char *why,
			      size_t size);

#endif
