/* SPDX-License-Identifier: MIT */
/*
 * A parsed SELFMON_SAMPLE: none, auto, or
 * EVENT[@PERIOD][,chain=N][,ring=SIZE][,drain=border|thread]. Pure: names are
 * not looked up here.
 */
#ifndef SELFMON_EVENT_SAMPLE_SPEC_H
#define SELFMON_EVENT_SAMPLE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <selfmon/error.h>

/* A shorter period of a clock would take most of the thread's time. */
#define SELFMON_SAMPLE_NS_MIN UINT64_C(200000)
#define SELFMON_SAMPLE_HZ_MAX 5000u
#define SELFMON_SAMPLE_CHAIN 32u

struct selfmon_sample_spec {
	char event[SELFMON_EVENT_NAME_SIZE]; /* "": nothing; may be "auto" */
	uint64_t period;     /* as given, in ns if time is set; 0: none */
	bool time;	     /* a unit of time was given */
	uint32_t frequency;  /* as given; 0: none */
	uint32_t chain;	     /* most addresses of a stack: 1 to 127 */
	uint8_t ring_order;  /* of pages of 4 KiB */
	bool at_borders;     /* drain=border: rings are read by visits only */
};

/*
 * Returns 0, or -EINVAL with what is wrong, what is allowed, in why.
 */
int selfmon_sample_spec_parse(const char *text,
			      struct selfmon_sample_spec *spec, char *why,
			      size_t size);

#endif
