/* SPDX-License-Identifier: MIT */
/*
 * One visit in N is measured (SELFMON_EVERY, region/sample.h): from the sums
 * of the measured visits to those of all.
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
