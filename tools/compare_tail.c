/* SPDX-License-Identifier: MIT */
#include "compare_tail.h"

#include <math.h>
#include <stdlib.h>

#define DRAWS 400
#define SEED UINT64_C(0x9e3779b97f4a7c15)
/*
 * A percentile is compared only if each side has at least this number of visits
 * above it.
 */
#define BEYOND_MIN 5

struct bin {
	double ns;
	double half; /* half of the bin's width */
	size_t run;  /* index of the run in its side */
	double visits;
};

struct pool {
	struct bin *bin; /* bins of all runs of a side, in ascending order */
	size_t bins, runs;
	double *weight;  /* for each run, how often it was drawn */
};

static int by_ns(const void *a, const void *b)
{
	return compare_ascending(&((const struct bin *)a)->ns,
				 &((const struct bin *)b)->ns);
}

/*
 * Returns half the width of the bucket whose middle is at ns. Each power of two
 * of ticks + 4 is divided into four buckets of equal width: see
 * store/statistics.h. The last bucket has no upper end, and its ns is the
 * longest visit, so its width does not matter.
 */
static double half_width(double ns, double hz)
{
	const double ticks = ns * hz / 1e9 + 4;

	return hz > 0 && ticks >= 4 ? exp2(floor(log2(ticks / 4))) / 2 *
					      1e9 / hz
				    : 0;
}

static bool gather(const struct compare *compare,
		   const struct compare_region *region, size_t side,
		   struct pool *pool)
{
	const struct compare_side *const of = &compare->side[side];
	size_t i, k, count = 0;

	for (i = of->first; i < of->first + of->count; i++)
		count += region->detail[i] ? region->detail[i]->buckets : 0;
	pool->runs = of->count;
	pool->bin = calloc(count + 1, sizeof(*pool->bin));
	pool->weight = calloc(of->count + 1, sizeof(*pool->weight));
	if (!pool->bin || !pool->weight)
		return false;
	for (i = 0; i < of->count; i++) {
		const struct selfmon_row_detail *const detail =
			region->detail[of->first + i];
		const double hz = (double)compare->file[of->first + i]
					  .report->clock_hz;

		pool->weight[i] = 1;
		for (k = 0; detail && k < detail->buckets; k++)
			pool->bin[pool->bins++] = (struct bin){
				.ns = detail->bucket[k].ns,
				.half = half_width(detail->bucket[k].ns, hz),
				.run = i,
				.visits = (double)detail->bucket[k].visits,
			};
	}
	if (pool->bins)
		qsort(pool->bin, pool->bins, sizeof(*pool->bin), by_ns);
	return pool->bins > 0;
}

static bool is_enough(const struct pool *pool, double quantile)
{
	double visits = 0;
	size_t i;

	for (i = 0; i < pool->bins; i++)
		visits += pool->bin[i].visits;
	return visits > (double)pool->runs &&
	       visits * (1 - quantile) >= BEYOND_MIN;
}

/*
 * Returns the quantile, assuming that visits are evenly distributed in a
 * bucket.
 */
static double quantile_of(const struct pool *pool, double quantile)
{
	double total = 0, below = 0, here = 0;
	size_t i;

	for (i = 0; i < pool->bins; i++)
		total += pool->bin[i].visits * pool->weight[pool->bin[i].run];
	if (total <= 0)
		return NAN;
	for (i = 0; i < pool->bins; i++) {
		const struct bin *const bin = &pool->bin[i];

		here = bin->visits * pool->weight[bin->run];
		if (here > 0 && below + here >= total * quantile)
			return bin->ns - bin->half +
			       2 * bin->half * (total * quantile - below) /
				       here;
		below += here;
	}
	return pool->bin[pool->bins - 1].ns;
}

static void draw(struct pool *pool, uint64_t *state)
{
	size_t i;

	for (i = 0; i < pool->runs; i++)
		pool->weight[i] = 0;
	for (i = 0; i < pool->runs; i++)
		pool->weight[compare_random(state, pool->runs)]++;
}

static void bootstrap(struct pool *pool, double quantile,
		      struct compare_interval *to)
{
	double ratio[DRAWS];
	uint64_t state = SEED;
	size_t i, n = 0;

	for (i = 0; i < DRAWS; i++) {
		draw(&pool[0], &state);
		draw(&pool[1], &state);
		ratio[n] = quantile_of(&pool[1], quantile) /
			   quantile_of(&pool[0], quantile);
		n += isfinite(ratio[n]) != 0;
	}
	if (!n)
		return;
	qsort(ratio, n, sizeof(*ratio), compare_ascending);
	to->low = ratio[n / 40];
	to->high = ratio[n - 1 - n / 40];
}

bool compare_tail(const struct compare *compare,
		  const struct compare_region *region, double quantile,
		  struct compare_cell *cell)
{
	struct pool pool[COMPARE_SIDES] = { { .bins = 0 }, { .bins = 0 } };
	size_t side;

	cell->p = 1;
	cell->there = gather(compare, region, 0, &pool[0]) &&
		      gather(compare, region, 1, &pool[1]) &&
		      is_enough(&pool[0], quantile) &&
		      is_enough(&pool[1], quantile);
	for (side = 0; cell->there && side < COMPARE_SIDES; side++) {
		cell->runs[side] = region->runs[side];
		cell->median[side] = quantile_of(&pool[side], quantile);
	}
	if (cell->there) {
		cell->ratio.value = cell->median[1] / cell->median[0];
		cell->ratio.high = HUGE_VAL;
		if (compare_can_test(compare))
			bootstrap(pool, quantile, &cell->ratio);
	}
	for (side = 0; side < COMPARE_SIDES; side++) {
		free(pool[side].bin);
		free(pool[side].weight);
	}
	return cell->there;
}
