/* SPDX-License-Identifier: MIT */
/* The library's overhead per visit, measured by the functions that cause it. */
#ifndef SELFMON_REGION_OVERHEAD_H
#define SELFMON_REGION_OVERHEAD_H

#include "region/process.h"

/* Overhead of one kind, in ticks and in events of each column. */
struct selfmon_cost {
	double ticks;
	double ticks_spread;     /* p90 - p10 */
	double counter[SELFMON_MAX_COUNTERS];   /* by column */
	double counter_spread[SELFMON_MAX_COUNTERS];
};

/*
 * done: inner and outer are known, and the others as far as their visits
 * occurred. A column whose events were never on the PMU during the measurement
 * has its bit set in unknown; its values here are 0.
 */
struct selfmon_calibration {
	uint32_t done; /* 0 or 1 */
	uint32_t unknown;
	struct selfmon_cost inner;   /* an empty region's own values */
	/* What its parent sees beyond them; ticks_spread: of both together. */
	struct selfmon_cost outer;
	struct selfmon_cost skipped; /* the same for a visit only counted */
	/* What the parent sees beyond inner and outer, by kind of visit ... */
	struct selfmon_cost kind[SELFMON_KIND_COUNT];
	struct selfmon_cost told;    /* ... and of one that tells its work */
};

/* Which visits occurred: bits 0 to SELFMON_KIND_COUNT - 1, and these. */
#define SELFMON_OCCURRED_SKIPPED (1u << SELFMON_KIND_COUNT)
#define SELFMON_OCCURRED_TOLD (2u << SELFMON_KIND_COUNT)

/* Returns the calibration as far as it is known. */
const struct selfmon_calibration *selfmon_calibration(void);

/*
 * Measures, on the calling thread, what is not known yet of the visits that
 * occurred. Under the report lock. What could not be measured is tried again
 * by the next call.
 */
const struct selfmon_calibration *
selfmon_calibrate(struct selfmon_process *process, uint32_t occurred);

#endif
