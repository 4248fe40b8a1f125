/* SPDX-License-Identifier: MIT */
/*
 * The time of one visit: the shortest, the longest and percentiles, without
 * the library's overhead.
 *
 * Each visit holds the overhead of its own two ends. What it holds of its
 * children's is known for the mean visit alone: a shorter one is taken to hold
 * less in proportion, a longer one no more. Bounds keep such a guess sane: no
 * more than the visit less its own ends, no less than a child that is in each
 * visit. Where the guess is more than half of the visit, it is marked unsure.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/gather.h"
#include "report/model.h"

/* Index is the bit's number in unsure. */
static const unsigned int percent_of[] = { 50, 90, 99 };
#define PERCENTILES (sizeof(percent_of) / sizeof(percent_of[0]))
#define SHORTEST PERCENTILES
#define LONGEST (PERCENTILES + 1)
#define TIMES (PERCENTILES + 2)

_Static_assert(SELFMON_UNSURE_P50 == 1u << 0 && SELFMON_UNSURE_P90 == 1u << 1 &&
		       SELFMON_UNSURE_P99 == 1u << 2 &&
		       SELFMON_UNSURE_MIN == 1u << SHORTEST &&
		       SELFMON_UNSURE_MAX == 1u << LONGEST,
	       "bits in this order");

static double lesser_ns(double a, double b)
{
	return a < b ? a : b;
}

static double greater_ns(double a, double b)
{
	return a > b ? a : b;
}

static uint64_t *time_of(struct selfmon_row *row, size_t i)
{
	switch (i) {
	case 0: return &row->p50_ns;
	case 1: return &row->p90_ns;
	case 2: return &row->p99_ns;
	case SHORTEST: return &row->min_ns;
	default: return &row->max_ns;
	}
}

/* The middle of the bucket that holds this percentile, within the extremes. */
static double percentile(const struct selfmon_row *row,
			 const struct selfmon_row_detail *detail,
			 unsigned int percent)
{
	uint64_t total = 0, below = 0, rank;
	double ns;
	size_t b;

	for (b = 0; b < detail->buckets; b++)
		total += detail->bucket[b].visits;
	rank = total / 100 * percent + (total % 100 * percent + 99) / 100;
	for (b = 0; b + 1 < detail->buckets; b++) {
		below += detail->bucket[b].visits;
		if (below >= rank)
			break;
	}
	ns = detail->buckets ? detail->bucket[b].ns : 0;
	return lesser_ns(greater_ns(ns, (double)row->time.min), (double)row->time.max);
}

/* As it was measured; NaN: not known. */
static double measured_ns(const struct selfmon_report *report, size_t i,
			  size_t which)
{
	const struct selfmon_row *const row = &report->row[i];
	const struct selfmon_row_detail *const detail =
		report->detail ? &report->detail[i] : NULL;

	if (which == SHORTEST)
		return (double)row->time.min;
	if (which == LONGEST)
		return (double)row->time.max;
	if (!detail || !detail->bucket)
		return (double)NAN;
	return percentile(row, detail, percent_of[which]);
}

/* One visit without overhead, at least low, as far as it can be. */
static uint64_t net_ns(const struct selfmon_report *report,
		       const struct selfmon_row *row, double ns, double low,
		       bool *unsure)
{
	const double mean = (double)row->time.sum / (double)row->measured;
	const double own = greater_ns(row->own_ns, 0);
	const double ends = lesser_ns(own, report->inner_ns);
	const double guess = (own - ends) *
			     (mean > 0 ? lesser_ns(ns / mean, 1) : 1);
	const double most = greater_ns(ns - ends, 0);
	double net = greater_ns(most - guess, lesser_ns(low, most));

	*unsure = most <= 0 || guess > most / 2;
	if (!(net > 0))
		net = 0;
	return net < SELFMON_WHOLE_MAX ? (uint64_t)net : INT64_MAX;
}

/* The library's overhead in the mean visit. */
static double mean_overhead(const struct selfmon_row *row)
{
	return (double)row->time.sum / (double)row->measured -
	       row->time.net / (double)row->visits;
}

/*
 * The largest of these times of children that are in each visit, as far as
 * their number tells; of the longest visit, of all children.
 */
static double lower_bound(const struct selfmon_report *report,
			  const int32_t *next, int32_t child, size_t which,
			  uint64_t visits)
{
	double low = 0;

	for (; child >= 0; child = next[child]) {
		struct selfmon_row *const row = &report->row[child];

		if (row->time.verdict != SELFMON_NOT_COUNTED &&
		    (which == LONGEST || row->visits >= visits))
			low = greater_ns(low, (double)*time_of(row, which));
	}
	return low;
}

static void settle_row(struct selfmon_report *report, size_t i,
		       const int32_t *next, int32_t child)
{
	struct selfmon_row *const row = &report->row[i];
	bool unsure;
	size_t k;

	row->own_ns = 0;
	row->unsure = 0;
	if (row->time.verdict == SELFMON_NOT_COUNTED)
		return;
	row->own_ns = mean_overhead(row);
	for (k = 0; k < TIMES; k++) {
		const double ns = measured_ns(report, i, k);

		if (isnan(ns))
			continue;
		*time_of(row, k) = net_ns(report, row, ns,
					  lower_bound(report, next, child, k,
						      row->visits), &unsure);
		row->unsure |= (uint32_t)unsure << k;
	}
}

/* Rows behind their parents: from the last to the first. */
int selfmon_report_visit_times(struct selfmon_report *report)
{
	int32_t *const first = calloc(report->rows + 1, sizeof(*first));
	int32_t *const next = calloc(report->rows + 1, sizeof(*next));
	size_t i;

	for (i = 0; first && next && i < report->rows; i++)
		first[i] = -1;
	for (i = report->rows; first && next && i-- > 0;) {
		const int32_t parent = report->row[i].parent;

		settle_row(report, i, next, first[i]);
		if (parent < 0)
			continue;
		next[i] = first[parent];
		first[parent] = (int32_t)i;
	}
	i = first && next;
	free(first);
	free(next);
	return i ? 0 : -ENOMEM;
}
