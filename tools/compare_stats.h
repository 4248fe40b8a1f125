/* SPDX-License-Identifier: MIT */
/*
 * Statistics of two groups of runs. A run gives one value; visits of one run
 * depend on each other and are no samples.
 */
#ifndef SELFMON_TOOLS_COMPARE_STATS_H
#define SELFMON_TOOLS_COMPARE_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Fewer runs a side than this cannot reach p < 0.05. */
#define COMPARE_RUNS_MIN 4
#define COMPARE_ALPHA 0.05

/* An estimate of B / A with its 95 % interval. */
struct compare_interval {
	double value, low, high;
};

/*
 * The two-sided p of the Mann-Whitney test, from the exact distribution of the
 * rank sum given the ties; for more than COMPARE_EXACT_MAX values in all from
 * the normal approximation. 1 if a group is empty or without memory.
 */
#define COMPARE_EXACT_MAX 40
double compare_rank_test(const double *a, size_t n, const double *b, size_t m);

/* The least p that the test can return for so many runs without ties. */
double compare_least_p(size_t n, size_t m);

/*
 * The least number of runs a side that can reach p < 0.05 after Holm's
 * correction for this many regions.
 */
size_t compare_runs_needed(size_t regions);

/* Adjusts the p values of a family by Holm's method, in place. */
void compare_holm(double *p, size_t count);

/*
 * The median of all ratios of a value of B to one of A (Hodges and Lehmann),
 * and the interval of ratios that the rank test does not refuse. Values are
 * not negative. Returns 0, or -ENOMEM.
 */
int compare_ratio(const double *a, size_t n, const double *b, size_t m,
		  struct compare_interval *to);

/* now / before; 0 is as large as 0, and all else infinitely larger. */
double compare_over(double now, double before);

/* The median; sorts the values. NaN for none. */
double compare_median(double *v, size_t count);

/* Sorts numbers; infinite ones too. */
int compare_ascending(const void *a, const void *b);

/* xorshift64 (Marsaglia 2003): the same input gives the same output. */
size_t compare_random(uint64_t *state, size_t below);

#endif
