/* SPDX-License-Identifier: MIT */
/* The library's overhead per visit, as far as it has been measured. */
#ifndef SELFMON_STORE_CALIBRATION_H
#define SELFMON_STORE_CALIBRATION_H

#include <stdint.h>

#include "store/statistics.h"

/* Overhead of one kind, in ticks and in events of each column. */
struct selfmon_cost {
	double ticks;
	double ticks_spread;     /* p90 - p10 */
	double counter[SELFMON_MAX_COUNTERS];   /* by column */
	double counter_spread[SELFMON_MAX_COUNTERS];
};

/*
 * done: inner and outer are measured, and the other costs if their kind of
 * visit occurred. A column whose events were never on the PMU during the
 * measurement has its bit set in unknown; its values here are 0.
 */
struct selfmon_calibration {
	uint32_t done; /* 0 or 1 */
	uint32_t unknown;
	struct selfmon_cost inner;   /* what an empty region records */
	/*
	 * Overhead that the parent records in addition; ticks_spread covers
	 * inner and outer together.
	 */
	struct selfmon_cost outer;
	struct selfmon_cost skipped; /* outer of a visit that is only counted */
	/*
	 * Overhead in the parent beyond inner and outer, by kind of visit ...
	 */
	struct selfmon_cost kind[SELFMON_KIND_COUNT];
	struct selfmon_cost told; /* ... and of a visit that reports its work */
	/* Overhead in a visit each time that it is suspended and resumed. */
	struct selfmon_cost switched;
};

/* Visits that occurred: bits 0 to SELFMON_KIND_COUNT - 1, and these. */
#define SELFMON_OCCURRED_SKIPPED (1u << SELFMON_KIND_COUNT)
#define SELFMON_OCCURRED_TOLD (2u << SELFMON_KIND_COUNT)
#define SELFMON_OCCURRED_SWITCHED (4u << SELFMON_KIND_COUNT)

/* Written by visit/overhead.c under the report lock; done is 0 until then. */
extern struct selfmon_calibration selfmon_calibrated;

#endif
