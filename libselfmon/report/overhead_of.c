/* SPDX-License-Identifier: MIT */
/* Converts the calibrated overhead from ticks and events to ns and events. */
#include "report/overhead_of.h"

#include "store/calibration.h"
#include "store/statistics.h"

static double cost_in(const struct selfmon_cost *cost, int column, double unit)
{
	return unit * (column < 0 ? cost->ticks : cost->counter[column]);
}

/*
 * Returns the noise of an overhead, which is half of its spread. For events,
 * the spread is usually the range of the middle 80 % of the samples. For the
 * inner and outer time it usually comes from visit/shadow.c.
 */
static double noise_in(const struct selfmon_cost *cost, int column, double unit)
{
	return unit / 2 * (column < 0 ? cost->ticks_spread
				      : cost->counter_spread[column]);
}

/*
 * The highest possible number of events per ns, as in clock/ladder.c.
 */
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
	of.skipped_noise = noise_in(&from->skipped, column, unit);
	of.switched = cost_in(&from->switched, column, unit);
	of.switched_noise = noise_in(&from->switched, column, unit);
	of.told_noise = noise_in(&from->told, column, unit);
	for (k = 0; k < SELFMON_KIND_COUNT; k++) {
		of.kind[k] = cost_in(&from->kind[k], column, unit);
		of.kind_noise[k] = noise_in(&from->kind[k], column, unit);
	}
	of.known = true;
	of.inner_noise = noise_in(&from->inner, column, unit);
	of.both_noise = noise_in(&from->outer, column, unit);
	if (column >= 0) /* for time, the outer noise includes the inner */
		of.both_noise += of.inner_noise;
	if (column >= 0 && from->unknown >> column & 1) {
		of.inner_noise = cost_in(&from->inner, -1, ns_per_tick) *
				 POSSIBLE_PER_NS;
		of.both_noise = of.inner_noise +
				cost_in(&from->outer, -1, ns_per_tick) *
					POSSIBLE_PER_NS;
	}
	return of;
}

/*
 * Least noise of a time. The calibration runs at one moment, around a few kinds
 * of work. In other work the mean overhead may differ, because of CPU frequency
 * changes and other branch predictions. The difference is taken as 3 % of the
 * time of a visit, but at least 3 ns and at most 10 ns. `make bench-accuracy`
 * shows how often the true time is within the noise.
 */
#define NOISE_SHARE 0.03
#define NOISE_LEAST_NS 3
#define NOISE_MOST_NS 10

double selfmon_overhead_noise(const struct selfmon_overhead *of, double net,
			      double visits)
{
	const double share = NOISE_SHARE * net / visits;

	if (of->column >= 0 || !of->known || !(visits > 0))
		return 0;
	if (!(share > NOISE_LEAST_NS))
		return NOISE_LEAST_NS * visits;
	return (share < NOISE_MOST_NS ? share : NOISE_MOST_NS) * visits;
}

double selfmon_overhead_inside(const struct selfmon_overhead *of,
			       const struct selfmon_inside *inside)
{
	return (double)inside->measured * (of->inner + of->outer) +
	       (double)inside->skipped * of->skipped;
}

double selfmon_overhead_switched(const struct selfmon_overhead *of,
				 const struct selfmon_stats *stats, double share,
				 double *noise)
{
	const double times =
		share * (double)stats->rare[SELFMON_RARE_RESUMED];

	*noise = times * (of->switched_noise + of->inner_noise);
	return times * of->switched;
}

static bool tells_work(const struct selfmon_stats *stats)
{
	size_t k;

	for (k = 0; k < SELFMON_MAX_UNITS; k++)
		if (stats->units[k])
			return true;
	return false;
}

double selfmon_overhead_beyond(const struct selfmon_overhead *of,
			       const struct selfmon_stats *stats)
{
	double beyond = 0;
	size_t k;

	/* Signed: the differences in interval.c may be negative. */
	for (k = 0; k < SELFMON_KIND_COUNT; k++)
		beyond += (double)(int64_t)stats->kind[k] * of->kind[k];
	/* Assumes that all visits of the row counted units if one did. */
	if (tells_work(stats))
		beyond += (double)selfmon_stats_visits(stats) * of->told;
	return beyond;
}

double selfmon_overhead_beyond_noise(const struct selfmon_overhead *of,
				     const struct selfmon_stats *stats)
{
	double noise = (double)stats->rare[SELFMON_RARE_SKIPPED] *
		       of->skipped_noise;
	size_t k;

	for (k = 0; k < SELFMON_KIND_COUNT; k++) {
		const double visits = (double)(int64_t)stats->kind[k];

		noise += (visits < 0 ? -visits : visits) * of->kind_noise[k];
	}
	if (tells_work(stats))
		noise += (double)selfmon_stats_visits(stats) * of->told_noise;
	return noise;
}
