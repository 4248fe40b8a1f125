/* SPDX-License-Identifier: MIT */
/* The median and percentiles of samples. */
#include <stdlib.h>

#include "bench.h"

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void bench_summary(double *sample, size_t count, struct bench_row *row)
{
	qsort(sample, count, sizeof(sample[0]), ascending);
	row->median = sample[count / 2];
	row->low = sample[count / 10];
	row->high = sample[count - 1 - count / 10];
	row->min = sample[0];
}
