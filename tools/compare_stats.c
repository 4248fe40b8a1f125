/* SPDX-License-Identifier: MIT */
#include "compare_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SQRT_2 1.4142135623730951
#define Z_95 1.959963984540054

int compare_ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double compare_median(double *v, size_t count)
{
	if (!count)
		return NAN;
	qsort(v, count, sizeof(*v), compare_ascending);
	return count % 2 ? v[count / 2] : (v[count / 2 - 1] + v[count / 2]) / 2;
}

size_t compare_random(uint64_t *state, size_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (size_t)((*state >> 32) % below);
}

/* ---- ranks --------------------------------------------------------------- */

struct ranked {
	double value;
	/* Twice the rank, so that ranks of tied values are whole numbers. */
	size_t rank;
	int is_b;
};

static int by_value(const void *a, const void *b)
{
	return compare_ascending(&((const struct ranked *)a)->value,
				 &((const struct ranked *)b)->value);
}

static struct ranked *rank_all(const double *a, size_t n, const double *b,
			       size_t m)
{
	struct ranked *const all = calloc(n + m, sizeof(*all));
	size_t i, k, end;

	if (!all)
		return NULL;
	for (i = 0; i < n + m; i++)
		all[i] = (struct ranked){ .value = i < n ? a[i] : b[i - n],
					  .is_b = i >= n };
	qsort(all, n + m, sizeof(*all), by_value);
	for (i = 0; i < n + m; i = end) {
		for (end = i + 1; end < n + m; end++)
			if (all[end].value > all[i].value)
				break;
		for (k = i; k < end; k++)
			all[k].rank = i + 1 + end;
	}
	return all;
}

/*
 * Returns an array: ways[k * (sums + 1) + s] is the number of ways to choose k
 * ranks with the sum s. A double is precise enough for numbers up to C(40, 20)
 * = 1.4e11.
 */
static double *count_ways(const size_t *rank, size_t count, size_t most,
			  size_t sums)
{
	double *const ways = calloc((most + 1) * (sums + 1), sizeof(*ways));
	size_t i, k, s;

	if (!ways)
		return NULL;
	ways[0] = 1;
	for (i = 0; i < count; i++)
		for (k = most < i + 1 ? most : i + 1; k > 0; k--)
			for (s = sums; s >= rank[i]; s--)
				ways[k * (sums + 1) + s] +=
					ways[(k - 1) * (sums + 1) + s -
					     rank[i]];
	return ways;
}

/*
 * Returns the probability of a rank sum that is at least as far from the mean
 * as this one, on either side.
 */
static double exact_p(const struct ranked *all, size_t n, size_t m, size_t sum)
{
	const size_t count = n + m, sums = count * (count + 1);
	const double middle = (double)m * (double)(count + 1);
	const double distance = fabs((double)sum - middle);
	double total = 0, far = 0;
	size_t *const rank = calloc(count + 1, sizeof(*rank));
	double *ways = NULL;
	size_t i, s;

	for (i = 0; rank && i < count; i++)
		rank[i] = all[i].rank;
	if (rank)
		ways = count_ways(rank, count, m, sums);
	for (s = 0; ways && s <= sums; s++) {
		const double here = ways[m * (sums + 1) + s];

		total += here;
		if (fabs((double)s - middle) >= distance)
			far += here;
	}
	free(ways);
	free(rank);
	return total > 0 ? far / total : 1;
}

static double normal_p(const struct ranked *all, size_t n, size_t m, size_t sum)
{
	const double count = (double)(n + m);
	const double middle = (double)m * (count + 1);
	double squares = 0, variance, z;
	size_t i;

	for (i = 0; i < n + m; i++)
		squares += ((double)all[i].rank - count - 1) *
			   ((double)all[i].rank - count - 1);
	variance = squares * (double)n * (double)m / count / (count - 1);
	if (variance <= 0)
		return 1;
	/*
	 * The continuity correction is half a rank, which is 1 since ranks are
	 * doubled.
	 */
	z = (fabs((double)sum - middle) - 1) / sqrt(variance);
	return z > 0 ? erfc(z / SQRT_2) : 1;
}

double compare_rank_test(const double *a, size_t n, const double *b, size_t m)
{
	struct ranked *const all = n && m ? rank_all(a, n, b, m) : NULL;
	size_t sum = 0, i;
	double p;

	if (!all)
		return 1;
	for (i = 0; i < n + m; i++)
		if (all[i].is_b)
			sum += all[i].rank;
	p = n + m > COMPARE_EXACT_MAX ? normal_p(all, n, m, sum)
				      : exact_p(all, n, m, sum);
	free(all);
	return p < 1 ? p : 1;
}

/* 2 / C(n + m, n) */
double compare_least_p(size_t n, size_t m)
{
	double p = 2;
	size_t i;

	for (i = 1; i <= n; i++)
		p *= (double)i / (double)(m + i);
	return p < 1 ? p : 1;
}

size_t compare_runs_needed(size_t regions)
{
	size_t n = COMPARE_RUNS_MIN;

	while (compare_least_p(n, n) * (double)regions >= COMPARE_ALPHA)
		n++;
	return n;
}

/* ---- many tests ---------------------------------------------------------- */

static int by_pointed(const void *a, const void *b)
{
	return compare_ascending(*(const double *const *)a,
				 *(const double *const *)b);
}

void compare_holm(double *p, size_t count)
{
	double **const order = calloc(count + 1, sizeof(*order));
	double least = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (order)
			order[i] = &p[i];
		/* Bonferroni's correction is stricter and needs no memory. */
		else
			p[i] = fmin(1, p[i] * (double)count);
	}
	if (!order)
		return;
	qsort(order, count, sizeof(*order), by_pointed);
	for (i = 0; i < count; i++) {
		least = fmax(least, fmin(1, *order[i] * (double)(count - i)));
		*order[i] = least;
	}
	free(order);
}

/* ---- ratios -------------------------------------------------------------- */

double compare_over(double now, double before)
{
	if (before > 0)
		return now / before;
	return now > 0 ? HUGE_VAL : 1;
}

/*
 * Returns c: the interval begins at the c-th smallest of all ratios, and ends
 * at the c-th largest. U is the number of pairs in which the value of B is
 * below the value of A; c is the largest number for which P(U < c) is at most
 * 2.5 %. 0: no interval has a confidence of 95 %.
 */
static size_t left_out(size_t n, size_t m)
{
	const size_t count = n + m, sums = count * (count + 1) / 2;
	const size_t lowest = m * (m + 1) / 2;
	double total = 0, sum = 0, *ways;
	size_t rank[COMPARE_EXACT_MAX], i, c = 0;

	if (count > COMPARE_EXACT_MAX) {
		const double nm = (double)n * (double)m;
		const double far = nm / 2 - Z_95 * sqrt(nm * (double)(count + 1)
							/ 12);

		return far > 0 ? (size_t)far : 0;
	}
	for (i = 0; i < count; i++)
		rank[i] = i + 1;
	ways = count_ways(rank, count, m, sums);
	if (!ways)
		return 0;
	for (i = 0; i <= sums; i++)
		total += ways[m * (sums + 1) + i];
	for (i = lowest; i <= sums; i++) {
		sum += ways[m * (sums + 1) + i];
		if (sum / total > COMPARE_ALPHA / 2)
			break;
		c++;
	}
	free(ways);
	return c;
}

int compare_ratio(const double *a, size_t n, const double *b, size_t m,
		  struct compare_interval *to)
{
	double *const ratio = calloc(n * m + 1, sizeof(*ratio));
	const size_t pairs = n * m;
	size_t cut, i;

	if (!ratio)
		return -ENOMEM;
	for (i = 0; i < pairs; i++)
		ratio[i] = compare_over(b[i % m], a[i / m]);
	to->value = compare_median(ratio, pairs);
	cut = pairs ? left_out(n, m) : 0;
	to->low = cut ? ratio[cut - 1] : 0;
	to->high = cut ? ratio[pairs - cut] : HUGE_VAL;
	free(ratio);
	return 0;
}
