/* SPDX-License-Identifier: MIT */
/*
 * Statistics of two groups of runs. Each run gives one value: visits of one run
 * depend on each other and are not independent samples.
 */
#ifndef SELFMON_TOOLS_COMPARE_STATS_H
#define SELFMON_TOOLS_COMPARE_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Minimum number of runs per side with which p < 0.05 can be reached. */
#define COMPARE_RUNS_MIN 4
#define COMPARE_ALPHA 0.05

/* An estimate of B / A with its 95 % confidence interval. */
struct compare_interval {
	double value, low, high;
};

/*
 * Returns the two-sided p value of the Mann-Whitney test. Uses the exact
 * distribution of the rank sum with the given ties or, for more than
 * COMPARE_EXACT_MAX values in total, the normal distribution.
 */
#define COMPARE_EXACT_MAX 40
double compare_rank_test(const double *a, size_t n, const double *b, size_t m);

/* Returns the smallest p value that is possible with these numbers of runs. */
double compare_least_p(size_t n, size_t m);

/*
 * Returns the minimum number of runs per side that can reach p < 0.05 after
 * Holm's correction for this many regions.
 */
size_t compare_runs_needed(size_t regions);

/* Adjusts the p values of a family by Holm's method, in place. */
void compare_holm(double *p, size_t count);

/*
 * Divides each value of B by each value of A. Computes the median of these
 * ratios (Hodges and Lehmann), and the interval of ratios that the rank test
 * does not reject. Values must not be negative. Returns 0, or -ENOMEM.
 */
int compare_ratio(const double *a, size_t n, const double *b, size_t m,
		  struct compare_interval *to);

/* Returns now / before. 0 / 0 is 1, and any other number / 0 is infinite. */
double compare_over(double now, double before);

/* Returns the median, and sorts the values. Returns NaN if there are none. */
double compare_median(double *v, size_t count);

/* Compares two numbers for sorting, including infinite ones. */
int compare_ascending(const void *a, const void *b);

/*
 * Returns a random number below `below`: xorshift64 (Marsaglia 2003). The same
 * state always gives the same numbers.
 */
size_t compare_random(uint64_t *state, size_t below);

#endif
