/* SPDX-License-Identifier: MIT */
/* The library's overhead in the values of one quantity. */
#ifndef SELFMON_REPORT_OVERHEAD_OF_H
#define SELFMON_REPORT_OVERHEAD_OF_H

#include "visit/overhead.h"

/* Overhead in the unit of a quantity: ns, or events of a column. */
struct selfmon_overhead {
	int column;  /* -1: time */
	bool known;
	double unit; /* unit of the recorded values: ns per tick, or 1 */
	double inner, inner_noise;
	double outer, both_noise; /* noise of inner and outer together */
	double skipped, told, switched;
	double kind[SELFMON_KIND_COUNT];
	/*
	 * Noise of a kind that was measured for too short a time; otherwise 0.
	 */
	double skipped_noise, told_noise, switched_noise;
	double kind_noise[SELFMON_KIND_COUNT];
};

/* column -1 is time. All members are 0 if there was no calibration. */
struct selfmon_overhead
selfmon_overhead_of(const struct selfmon_calibration *from, int column,
		    double ns_per_tick);

/*
 * Returns the least noise of a time that is not an estimate, for a given net
 * time in ns and number of visits.
 */
double selfmon_overhead_noise(const struct selfmon_overhead *of, double net,
			      double visits);

/*
 * Returns the overhead in the parent beyond inner and outer: that of visits of
 * a SELFMON_KIND_*, and that of visits that count units.
 */
double selfmon_overhead_beyond(const struct selfmon_overhead *of,
			       const struct selfmon_stats *stats);

/*
 * Returns the noise of selfmon_overhead_beyond(), and of the overhead of visits
 * that were only counted.
 */
double selfmon_overhead_beyond_noise(const struct selfmon_overhead *of,
				     const struct selfmon_stats *stats);

/*
 * Returns the overhead of the switches that suspended a row's own visits, and
 * its noise. Switches are counted for open visits as well; share is the part of
 * the visits that have ended.
 */
double selfmon_overhead_switched(const struct selfmon_overhead *of,
				 const struct selfmon_stats *stats, double share,
				 double *noise);

/*
 * Returns the overhead of the visits inside of another visit: inner and outer,
 * or skipped, but without the result of selfmon_overhead_beyond().
 */
double selfmon_overhead_inside(const struct selfmon_overhead *of,
			       const struct selfmon_inside *inside);

#endif
