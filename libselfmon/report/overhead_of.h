/* SPDX-License-Identifier: MIT */
/* The library's overhead in the values of one quantity. */
#ifndef SELFMON_REPORT_OVERHEAD_OF_H
#define SELFMON_REPORT_OVERHEAD_OF_H

#include "region/overhead.h"

/* Overhead in the unit of a quantity: ns, or events of a column. */
struct selfmon_overhead {
	int column;  /* -1: time */
	bool known;
	double unit; /* what one recorded unit is: ns a tick, or 1 */
	double inner, inner_noise;
	double outer, both_noise; /* of inner and outer together */
	double skipped, told;
	double kind[SELFMON_KIND_COUNT];
	/* Of kinds that there was too little time to measure; else 0. */
	double skipped_noise, told_noise, kind_noise[SELFMON_KIND_COUNT];
};

/* Of time (column -1) or a column; all 0 where nothing was calibrated. */
struct selfmon_overhead
selfmon_overhead_of(const struct selfmon_calibration *from, int column,
		    double ns_per_tick);

/*
 * Returns the least noise of a time that is not an estimate: of these net ns,
 * in so many visits.
 */
double selfmon_overhead_noise(const struct selfmon_overhead *of, double net,
			      double visits);

/* Returns what the kinds of visits add in the parent of these. */
double selfmon_overhead_beyond(const struct selfmon_overhead *of,
			       const struct selfmon_stats *stats);

/* Returns the noise of that, and of visits that were only counted. */
double selfmon_overhead_beyond_noise(const struct selfmon_overhead *of,
				     const struct selfmon_stats *stats);

/* Returns what visits inside of another cost that one, but for their kinds. */
double selfmon_overhead_inside(const struct selfmon_overhead *of,
			       const struct selfmon_inside *inside);

#endif
