/* SPDX-License-Identifier: MIT */
#include "compare_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_tail.h"
#include "progress.h"
#include "tool.h"

/*
 * Names of verdicts in JSON. The words for readers are in
 * compare_verdict_word().
 */
const char *const compare_verdict_name[COMPARE_VERDICTS + 1] = {
	[COMPARE_REGRESSION] = "regression",
	[COMPARE_SLOWER] = "more",
	[COMPARE_INCONCLUSIVE] = "inconclusive",
	[COMPARE_FASTER] = "less",
	[COMPARE_SAME] = "same",
	[COMPARE_NO_TEST] = "no test",
	[COMPARE_SMALL] = "not judged",
	NULL,
};

/* ---- one cell ------------------------------------------------------------ */

static const struct selfmon_quantity *
quantity_of(const struct compare *compare, size_t run,
	    const struct selfmon_row *row, size_t column)
{
	const struct selfmon_report *const report = compare->file[run].report;
	size_t i;

	if (column == COMPARE_TIME)
		return &row->time;
	for (i = 0; i < report->columns; i++)
		if (!strcmp(report->column[i].name, compare->column[column]))
			return &row->counter[i];
	return NULL;
}

/* Sets *to to the value of a run. Returns false if the run has no value. */
static bool value_of(const struct compare *compare, size_t run,
		     const struct selfmon_row *row, size_t column, double *to,
		     bool *estimated)
{
	const struct selfmon_quantity *quantity;

	if (column == COMPARE_VISITS) {
		*to = (double)row->visits;
		return true;
	}
	quantity = quantity_of(compare, run, row, column);
	if (!quantity || quantity->verdict == SELFMON_NOT_COUNTED ||
	    !quantity->visits || !isfinite(quantity->net))
		return false;
	*estimated |= quantity->verdict == SELFMON_SCALED;
	*to = fmax(quantity->net, 0) / (double)quantity->visits;
	return true;
}

static size_t values_of(const struct compare *compare,
			const struct compare_region *region, size_t side,
			size_t column, double *to, bool *estimated)
{
	const size_t first = compare->side[side].first;
	size_t i, n = 0;

	for (i = first; i < first + compare->side[side].count; i++)
		if (region->row[i] &&
		    value_of(compare, i, region->row[i], column, &to[n],
			     estimated))
			n++;
	return n;
}

/*
 * Sets the ratio to the quotient of the printed medians, because readers will
 * divide them. compare_ratio() computed the interval for another estimate of
 * the ratio, so the quotient may be outside. In this case the interval is
 * widened to contain the quotient.
 */
static void take_medians(struct compare_cell *cell)
{
	cell->ratio.value = compare_over(cell->median[1], cell->median[0]);
	cell->ratio.low = fmin(cell->ratio.low, cell->ratio.value);
	cell->ratio.high = fmax(cell->ratio.high, cell->ratio.value);
}

/*
 * Fills in a cell. The array `value` is scratch memory for the values of A,
 * then of B. Returns false if out of memory.
 */
static bool fill_cell(const struct compare *compare,
		      const struct compare_region *region, size_t column,
		      double *value, struct compare_cell *cell)
{
	double *const a = value, *const b = value + compare->side[0].count;

	cell->runs[0] = values_of(compare, region, 0, column, a,
				  &cell->estimated);
	cell->runs[1] = values_of(compare, region, 1, column, b,
				  &cell->estimated);
	cell->p = 1;
	cell->there = cell->runs[0] && cell->runs[1];
	if (!cell->there)
		return true;
	if (compare_ratio(a, cell->runs[0], b, cell->runs[1], &cell->ratio))
		return false;
	if (cell->runs[0] >= COMPARE_RUNS_MIN &&
	    cell->runs[1] >= COMPARE_RUNS_MIN)
		cell->p = compare_rank_test(a, cell->runs[0], b, cell->runs[1]);
	cell->median[0] = compare_median(a, cell->runs[0]);
	cell->median[1] = compare_median(b, cell->runs[1]);
	take_medians(cell);
	return true;
}

static bool fill_region(const struct compare *compare,
			struct compare_region *region, double *value)
{
	size_t i;

	for (i = 0; i < COMPARE_COLUMNS; i++) {
		if (!compare->column[i])
			continue;
		if (i == COMPARE_P50 || i == COMPARE_P99) {
			if (region->share >= compare->least_share)
				compare_tail(compare, region,
					     i == COMPARE_P50 ? 0.5 : 0.99,
					     &region->cell[i]);
			continue;
		}
		if (!fill_cell(compare, region, i, value,
			       &region->cell[i]))
			return false;
	}
	return true;
}

/* ---- regions that are judged --------------------------------------------- */

/*
 * Computes the region's median share of a run's time, over the runs that have
 * the region.
 */
static double share_of(const struct compare *compare,
		       const struct compare_region *region, size_t side,
		       double *share)
{
	const size_t first = compare->side[side].first;
	size_t i, n = 0;

	for (i = first; i < first + compare->side[side].count; i++) {
		const double total = compare->file[i].report->total_ns;

		if (region->row[i] && total > 0)
			share[n++] = region->row[i]->time.net / total;
	}
	return n ? compare_median(share, n) : 0;
}

static void count_runs(const struct compare *compare,
		       struct compare_region *region)
{
	size_t side, i;

	for (side = 0; side < COMPARE_SIDES; side++) {
		const struct compare_side *const of = &compare->side[side];

		for (i = of->first; i < of->first + of->count; i++)
			region->runs[side] += region->row[i] != NULL;
	}
}

static bool is_judged(const struct compare *compare,
		      const struct compare_region *region)
{
	return region->share >= compare->least_share &&
	       region->cell[compare->primary].there;
}

/* ---- verdicts ------------------------------------------------------------ */

static enum compare_verdict judge(const struct compare *compare,
				  const struct compare_region *region)
{
	const struct compare_interval *const ratio =
		&region->cell[compare->primary].ratio;
	const double above = 1 + compare->gate, below = 1 / above;

	if (!is_judged(compare, region))
		return COMPARE_SMALL;
	if (!compare_can_test(compare))
		return COMPARE_NO_TEST;
	if (region->adjusted < COMPARE_ALPHA && ratio->low > above)
		return COMPARE_REGRESSION;
	if (region->adjusted < COMPARE_ALPHA)
		return ratio->value > 1 ? COMPARE_SLOWER : COMPARE_FASTER;
	if (ratio->low >= below && ratio->high <= above)
		return COMPARE_SAME;
	return COMPARE_INCONCLUSIVE;
}

static int adjust(struct compare *compare)
{
	double *const p = calloc(compare->regions + 1, sizeof(*p));
	size_t i, n = 0;

	if (!p)
		return -1;
	for (i = 0; i < compare->regions; i++)
		if (is_judged(compare, compare->region[i]))
			p[n++] = compare->region[i]->cell[compare->primary].p;
	compare_holm(p, n);
	compare->family = n;
	compare->needed = compare_runs_needed(n ? n : 1);
	for (i = n = 0; i < compare->regions; i++)
		if (is_judged(compare, compare->region[i]))
			compare->region[i]->adjusted = p[n++];
	free(p);
	return 0;
}

/* Returns the factor by which the ratio differs from 1. */
static double distance(double ratio)
{
	return ratio > 1 ? ratio : ratio > 0 ? 1 / ratio : HUGE_VAL;
}

static bool is_change(enum compare_verdict verdict)
{
	return verdict == COMPARE_REGRESSION || verdict == COMPARE_SLOWER ||
	       verdict == COMPARE_FASTER;
}

static int by_weight(const void *a, const void *b)
{
	const struct compare_region *const x = *(void *const *)a;
	const struct compare_region *const y = *(void *const *)b;
	const double dx = x->weight, dy = y->weight;

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	if (is_change(x->verdict) && (dx > dy || dx < dy))
		return dx > dy ? -1 : 1;
	if (x->share > y->share || x->share < y->share)
		return x->share > y->share ? -1 : 1;
	return strcmp(x->path, y->path);
}

static bool fill_all(struct compare *compare)
{
	const size_t runs = compare->side[0].count + compare->side[1].count;
	double *const value = calloc(runs + 1, sizeof(*value));
	bool filled = value != NULL;
	size_t i;

	progress_begin("comparing regions", compare->regions);
	for (i = 0; filled && i < compare->regions; i++) {
		struct compare_region *const region = compare->region[i];

		progress_at(i);
		count_runs(compare, region);
		region->share = fmax(share_of(compare, region, 0, value),
				     share_of(compare, region, 1, value));
		filled = fill_region(compare, region, value);
	}
	progress_end();
	free(value);
	return filled;
}

int compare_judge(struct compare *compare)
{
	size_t i;

	if (!fill_all(compare) || adjust(compare)) {
		tool_fail("compare", "no memory");
		return TOOL_USAGE;
	}
	for (i = 0; i < compare->regions; i++) {
		struct compare_region *const region = compare->region[i];

		region->verdict = judge(compare, region);
		region->weight =
			distance(region->cell[compare->primary].ratio.value);
		compare->verdicts[region->verdict]++;
		compare->appeared += !region->runs[0];
		compare->vanished += !region->runs[1];
	}
	if (compare->regions)
		qsort(compare->region, compare->regions,
		      sizeof(*compare->region), by_weight);
	return 0;
}
