/* SPDX-License-Identifier: MIT */
/*
 * Extrapolates the sums of measured visits to all visits, if one visit in N is
 * measured (SELFMON_EVERY, store/sample.h).
 */
#include "report/sampled.h"

double selfmon_sampled_factor(const struct selfmon_gathered *from, int column)
{
	const double sum = (double)selfmon_sampled_sums(from, column)->sum;
	const double all = (double)(column < 0 ? from->all.ticks
					       : from->all.counter[column]);

	if (!selfmon_sampled_skipped(from) || !(sum > 0))
		return 1;
	return all / sum;
}
