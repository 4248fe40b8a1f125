/* SPDX-License-Identifier: MIT */
/*
 * For tests of units: visits count values with known percentiles, and the
 * percentiles in reports are compared with these.
 */
#ifndef TESTS_KERNEL_QUANTILES_H
#define TESTS_KERNEL_QUANTILES_H

#include <stdlib.h>

#include "rows.h"

#define QUANTILES_UNITS 3

static const char *const quantiles_name[QUANTILES_UNITS] = {
	"even", "spread", "rare"
};
static const struct selfmon_unit *quantiles_unit[QUANTILES_UNITS];

static inline void quantiles_start(void)
{
	int k;

	for (k = 0; k < QUANTILES_UNITS; k++)
		quantiles_unit[k] = selfmon_unit(quantiles_name[k]);
}

/*
 * Returns the value of visit i in distribution k:
 * 0: uniform from 1 to 10000.
 * 1: uniform between two powers of two; each of 40 such ranges is equally
 *    likely.
 * 2: near 100 in 19 of 20 visits, 1000000 in the others.
 */
static inline uint64_t quantiles_value(int k, uint64_t i)
{
	const uint64_t mixed = i * UINT64_C(0x9e3779b97f4a7c15);
	const unsigned int power = 1 + (unsigned int)(mixed % 40);

	switch (k) {
	case 0:
		return 1 + (mixed >> 32) % 10000;
	case 1:
		return (UINT64_C(1) << power) + (mixed >> (64 - power));
	default:
		return mixed % 20 ? 90 + (mixed >> 40) % 20 : 1000000;
	}
}

static inline void quantiles_count(uint64_t i, uint64_t part, uint64_t parts)
{
	int k;

	for (k = 0; k < QUANTILES_UNITS; k++) {
		const uint64_t n = quantiles_value(k, i);

		selfmon_region_count(quantiles_unit[k],
				     n * (part + 1) / parts - n * part / parts);
	}
}

static inline int quantiles_order(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Expects a percentile within 12.5 % of the exact value. The rank of a
 * percentile has several definitions, so the values of the next lower and the
 * next higher rank are also accepted as exact.
 */
static inline void quantiles_near(double seen, const uint64_t *value, size_t n,
				  double share)
{
	const size_t rank = (size_t)(share * (double)n);

	cr_assert_geq(seen, 0.875 * (double)value[rank - 1], "p%g: %g", share,
		      seen);
	cr_assert_leq(seen, 1.125 * (double)value[rank + 1], "p%g: %g", share,
		      seen);
}

static inline void quantiles_expect(const struct selfmon_report *report,
				    const struct selfmon_row *row, size_t n)
{
	uint64_t *const value = calloc(n, sizeof(*value));
	uint64_t sum;
	size_t i;
	int k;

	for (k = 0; k < QUANTILES_UNITS; k++) {
		const struct selfmon_report_unit unit =
			rows_counted(report, row, quantiles_name[k]);

		for (sum = i = 0; i < n; i++)
			sum += value[i] = quantiles_value(k, i);
		qsort(value, n, sizeof(*value), quantiles_order);
		cr_assert_eq(unit.sum, sum);
		cr_assert_eq(unit.visits, n);
		cr_assert_eq(unit.min, value[0]);
		cr_assert_eq(unit.max, value[n - 1]);
		quantiles_near(unit.p50, value, n, 0.50);
		quantiles_near(unit.p90, value, n, 0.90);
		quantiles_near(unit.p99, value, n, 0.99);
	}
	free(value);
}

#endif
