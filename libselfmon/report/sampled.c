/* SPDX-License-Identifier: MIT */
/*
 * One visit in N is measured (SELFMON_EVERY, region/sample.h): from the sums
 * of the measured visits to those of all.
 */
#include "report/sampled.h"

/* The values of first visits, which stand for themselves alone. */
static double first_of(const struct selfmon_gathered *from, int column)
{
	const double first = (double)(column < 0 ? from->sampled.first_ticks
						 : from->sampled.first[column]);
	const double sum = (double)selfmon_sampled_sums(from, column)->sum;

	return first < sum ? first : sum;
}

/* The others stand for those that were only counted. */
double selfmon_sampled_all(const struct selfmon_gathered *from, double first,
			   double sum)
{
	const double measured = (double)selfmon_stats_visits(&from->stats);
	const double skipped = (double)selfmon_sampled_skipped(from);
	const double others = measured - (double)from->firsts;

	if (!(skipped > 0) || !(measured > 0))
		return sum;
	if (!(others > 0))
		return sum * (1 + skipped / measured);
	return sum + (sum - first) * (skipped / others);
}

double selfmon_sampled_factor(const struct selfmon_gathered *from, int column)
{
	const double sum = (double)selfmon_sampled_sums(from, column)->sum;

	if (sum > 0)
		return selfmon_sampled_all(from, first_of(from, column), sum) / sum;
	return selfmon_sampled_all(from, 0, 1);
}
