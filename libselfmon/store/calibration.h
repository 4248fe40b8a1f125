/* SPDX-License-Identifier: MIT */
/* The library's measured overhead per visit. */
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
 * If done, inner and outer are measured, and also the other costs whose kind of
 * visit occurred. If a column's events were never on the PMU during the
 * measurement, its bit in unknown is set, and its values here are 0.
 */
struct selfmon_calibration {
	uint32_t done; /* 0 or 1 */
	uint32_t unknown;
	struct selfmon_cost inner; /* what an empty region records for itself */
	/*
	 * Overhead that the parent records in addition to inner. Its
	 * ticks_spread covers inner and outer together.
	 */
	struct selfmon_cost outer;
	/* Outer for a visit that is only counted. */
	struct selfmon_cost skipped;
	/*
	 * Additional overhead in the parent, beyond inner and outer, for each
	 * kind of visit ...
	 */
	struct selfmon_cost kind[SELFMON_KIND_COUNT];
	struct selfmon_cost told; /* ... and for a visit that counts units */
	/*
	 * Overhead that a visit records each time that it is suspended and
	 * resumed.
	 */
	struct selfmon_cost switched;
};

/*
 * The visits that occurred: bit k for each kind k below SELFMON_KIND_COUNT, and
 * these bits.
 */
#define SELFMON_OCCURRED_SKIPPED (1u << SELFMON_KIND_COUNT)
#define SELFMON_OCCURRED_TOLD (2u << SELFMON_KIND_COUNT)
#define SELFMON_OCCURRED_SWITCHED (4u << SELFMON_KIND_COUNT)

/* Written by visit/overhead.c under the report lock. Until then done is 0. */
extern struct selfmon_calibration selfmon_calibrated;

#endif
