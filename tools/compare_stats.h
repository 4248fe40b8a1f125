/* SPDX-License-Identifier: MIT */
/*
 * Statistics of two groups of runs. Each run gives one value: visits of one run
 * depend on each other and are not independent samples.
 */
#ifndef SELFMON_TOOLS_COMPARE_STATS_H
#define SELFMON_TOOLS_COMPARE_STATS_H

#include <stddef.h>
#include <stdint.h>

/* With fewer runs per side, p < 0.05 cannot be reached. */
#define COMPARE_RUNS_MIN 4
#define COMPARE_ALPHA 0.05

/* An estimate of B / A with its 95 % interval. */
struct compare_interval {
	double value, low, high;
};

/*
 * Returns the two-sided p of the Mann-Whitney test. Uses the exact distribution
 * of the rank sum for the given ties. For more than COMPARE_EXACT_MAX values in
 * total, uses the normal distribution.
 */
#define COMPARE_EXACT_MAX 40
double compare_rank_test(const double *a, size_t n, const double *b, size_t m);

/*
 * Returns the smallest p that the test can reach with these runs without ties.
 */
double compare_least_p(size_t n, size_t m);

/*
 * Returns the minimum number of runs per side that can reach p < 0.05 after
 * Holm's correction for this many regions.
 */
size_t compare_runs_needed(size_t regions);

/* Adjusts the p values of a family by Holm's method, in place. */
void compare_holm(double *p, size_t count);

/*
 * Computes the median of all ratios of a value of B to a value of A (Hodges and
 * Lehmann), and the interval of ratios that the rank test does not reject.
 * Values must not be negative. Returns 0, or -ENOMEM.
 */
int compare_ratio(const double *a, size_t n, const double *b, size_t m,
		  struct compare_interval *to);

/* Returns now / before. 0 / 0 is 1, and any other number / 0 is infinite. */
double compare_over(double now, double before);

/* Returns the median, and sorts the values. Returns NaN if there are none. */
double compare_median(double *v, size_t count);

/* Compares two numbers for sorting, including infinite ones. */
int compare_ascending(const void *a, const void *b);

/* xorshift64 (Marsaglia 2003). The same input always gives the same output. */
size_t compare_random(uint64_t *state, size_t below);

#endif
