/* SPDX-License-Identifier: MIT */
/* The library's measured overhead per visit. */
#ifndef SELFMON_STORE_CALIBRATION_H
#define SELFMON_STORE_CALIBRATION_H

#include <stdint.h>

#include "store/statistics.h"

/*
 * Overhead of one kind of visit or switch, in ticks and in events of each
 * column.
 */
struct selfmon_cost {
	double ticks;
	/*
	 * The spread is p90 - p10, unless overhead.c, overhead_samples.c or
	 * shadow.c sets another value. Reports state half of the spread as
	 * noise.
	 */
	double ticks_spread;
	double counter[SELFMON_MAX_COUNTERS];
	double counter_spread[SELFMON_MAX_COUNTERS];
};

/*
 * If done is 1, inner and outer were measured. The other costs were measured if
 * their kind of visit occurred. Bit i of unknown is set if column i had too few
 * samples, for example because its event was off the PMU; the column's values
 * are then 0.
 */
struct selfmon_calibration {
	uint32_t done;
	uint32_t unknown;
	/* Overhead that a visit records for itself. */
	struct selfmon_cost inner;
	/*
	 * Additional overhead that a visit causes in its parent.
	 * outer.ticks_spread covers inner and outer together.
	 */
	struct selfmon_cost outer;
	/* Like outer, for a visit that is only counted. */
	struct selfmon_cost skipped;
	/*
	 * Additional overhead in the parent, besides inner and outer, for each
	 * kind of visit.
	 */
	struct selfmon_cost kind[SELFMON_KIND_COUNT];
	struct selfmon_cost told; /* like kind, for a visit that counts units */
	/* Overhead in a visit for each time it is suspended and resumed. */
	struct selfmon_cost switched;
};

/*
 * Mask of the kinds of visits that occurred: bit k for kind k (enum
 * selfmon_kind), and these bits for visits that were only counted, that counted
 * units, or that were suspended.
 */
#define SELFMON_OCCURRED_SKIPPED (1u << SELFMON_KIND_COUNT)
#define SELFMON_OCCURRED_TOLD (2u << SELFMON_KIND_COUNT)
#define SELFMON_OCCURRED_SWITCHED (4u << SELFMON_KIND_COUNT)

/*
 * Written by visit/overhead.c under the report lock. Before that, `done` is 0.
 */
extern struct selfmon_calibration selfmon_calibrated;

#endif
