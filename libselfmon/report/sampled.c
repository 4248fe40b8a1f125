/* SPDX-License-Identifier: MIT */
/*
 * One visit in N is measured (SELFMON_EVERY, region/sample.h): from the sums
 * of the measured visits to those of all.
 */
#include "report/sampled.h"

double selfmon_sampled_scale(const struct selfmon_gathered *from)
{
	const double all = (double)selfmon_stats_visits(&from->stats) +
			   (double)selfmon_sampled_skipped(from);

	return from->sampled.weights ? all / (double)from->sampled.weights : 1;
}

double selfmon_sampled_factor(const struct selfmon_gathered *from, int column)
{
	const double sum = (double)selfmon_sampled_sums(from, column)->sum;
	const double weighted =
		(double)(column < 0 ? from->sampled.ticks
				    : from->sampled.counter[column]);

	if (!selfmon_sampled_skipped(from) || !from->sampled.weights)
		return 1;
	return sum > 0 ? weighted * selfmon_sampled_scale(from) / sum : 1;
}
