/* SPDX-License-Identifier: MIT */
/* From ticks and events of the calibration to the unit of a quantity. */
#include "report/overhead_of.h"

static double cost_in(const struct selfmon_cost *cost, int column, double unit)
{
	return unit * (column < 0 ? cost->ticks : cost->counter[column]);
}

/* Half of what eight of ten samples spread over: the noise of their median. */
static double noise_in(const struct selfmon_cost *cost, int column, double unit)
{
	return unit / 2 * (column < 0 ? cost->ticks_spread
				      : cost->counter_spread[column]);
}

/* Events a ns that are possible at most; see selfmon_counters_delta(). */
#define POSSIBLE_PER_NS 16

struct selfmon_overhead
selfmon_overhead_of(const struct selfmon_calibration *from, int column,
		    double ns_per_tick)
{
	const double unit = column < 0 ? ns_per_tick : 1;
	struct selfmon_overhead of = { .column = column, .unit = unit };
	size_t k;

	if (!from->done)
		return of;
	of.inner = cost_in(&from->inner, column, unit);
	of.outer = cost_in(&from->outer, column, unit);
	of.skipped = cost_in(&from->skipped, column, unit);
	of.told = cost_in(&from->told, column, unit);
	for (k = 0; k < SELFMON_KIND_COUNT; k++)
		of.kind[k] = cost_in(&from->kind[k], column, unit);
	of.inner_noise = noise_in(&from->inner, column, unit);
	of.outer_noise = noise_in(&from->outer, column, unit);
	if (column >= 0 && from->unknown >> column & 1) {
		of.inner_noise = cost_in(&from->inner, -1, ns_per_tick) *
				 POSSIBLE_PER_NS;
		of.outer_noise = cost_in(&from->outer, -1, ns_per_tick) *
				 POSSIBLE_PER_NS;
	}
	return of;
}

double selfmon_overhead_inside(const struct selfmon_overhead *of,
			       const struct selfmon_inside *inside)
{
	return (double)inside->measured * (of->inner + of->outer) +
	       (double)inside->skipped * of->skipped;
}

double selfmon_overhead_beyond(const struct selfmon_overhead *of,
			       const struct selfmon_stats *stats)
{
	double beyond = 0;
	size_t k;

	/* Steps may be negative, see selfmon_visit_count_same(). */
	for (k = 0; k < SELFMON_KIND_COUNT; k++)
		beyond += (double)(int64_t)stats->kind[k] * of->kind[k];
	for (k = 0; k < SELFMON_UNITS; k++)
		if (stats->units[k]) /* then all of them tell, mostly */
			return beyond + (double)selfmon_stats_visits(stats) *
						of->told;
	return beyond;
}
