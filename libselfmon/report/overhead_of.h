/* SPDX-License-Identifier: MIT */
/* The library's overhead in the values of one quantity (time or a column). */
#ifndef SELFMON_REPORT_OVERHEAD_OF_H
#define SELFMON_REPORT_OVERHEAD_OF_H

#include "visit/overhead.h"

/* Overhead of one visit, in ns or in events of a column. */
struct selfmon_overhead {
	int column;  /* -1: time */
	bool known;
	double unit; /* unit of the recorded values: ns per tick, or 1 */
	double inner, inner_noise;
	double outer, both_noise; /* both_noise: inner and outer together */
	double skipped, told, switched;
	double kind[SELFMON_KIND_COUNT];
	/*
	 * Noise of the overheads above; 0 unless the calibration had too little
	 * time to measure them.
	 */
	double skipped_noise, told_noise, switched_noise;
	double kind_noise[SELFMON_KIND_COUNT];
};

/*
 * Returns the overhead in a column, or in time if column is -1. All overheads
 * are 0 if there was no calibration.
 */
struct selfmon_overhead
selfmon_overhead_of(const struct selfmon_calibration *from, int column,
		    double ns_per_tick);

/*
 * Returns a lower limit for the noise of a time, for a given net time in ns and
 * number of visits.
 */
double selfmon_overhead_noise(const struct selfmon_overhead *of, double net,
			      double visits);

/*
 * Returns the overhead that visits cause in their parent in addition to
 * of->inner and of->outer: the overhead of each SELFMON_KIND_*, and of visits
 * that count units.
 */
double selfmon_overhead_beyond(const struct selfmon_overhead *of,
			       const struct selfmon_stats *stats);

/*
 * Returns the noise of selfmon_overhead_beyond(), plus the noise of counting
 * the visits that were only counted.
 */
double selfmon_overhead_beyond_noise(const struct selfmon_overhead *of,
				     const struct selfmon_stats *stats);

/*
 * Returns the overhead, and its noise, of the switches that suspended a row's
 * visits. Switches are also counted for open visits; share is the proportion of
 * visits that have ended.
 */
double selfmon_overhead_switched(const struct selfmon_overhead *of,
				 const struct selfmon_stats *stats, double share,
				 double *noise);

/*
 * Returns the overhead of the visits inside another visit: inner and outer
 * overhead of measured visits, and the overhead of visits that were only
 * counted. Excludes the additional overhead, see selfmon_overhead_beyond().
 */
double selfmon_overhead_inside(const struct selfmon_overhead *of,
			       const struct selfmon_inside *inside);

#endif
