/* SPDX-License-Identifier: MIT */
/*
 * Times of single visits without the library's overhead: the shortest, the
 * longest and percentiles.
 *
 * The time of each visit includes the overhead of its own enter and leave. The
 * overhead of its children is known only on average. A visit shorter than the
 * mean is assumed to have proportionally less overhead of children; a longer
 * visit is assumed to have as much as the mean. The result is limited: it is at
 * most the time minus the overhead of the visit's own enter and leave, and at
 * least the time of a child that occurs in each visit. If the overhead of
 * children is estimated at more than half of this maximum, the time is marked
 * as unsure.
 */
#include "report/visit_times.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/bucket.h"
#include "report/gather.h"
#include "report/model.h"

/* Indexed by the bit number in `unsure`. */
static const double quantile_of[] = { 0.5, 0.9, 0.99 };
#define PERCENTILES (sizeof(quantile_of) / sizeof(quantile_of[0]))
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

static double quantile_ns(const struct selfmon_row *row,
			  const struct selfmon_row_detail *detail, double q)
{
	const double ns =
		selfmon_buckets_quantile(detail->bucket, detail->buckets, q);

	return lesser_ns(greater_ns(ns, (double)row->time.min),
			 (double)row->time.max);
}

static double measured_ns(const struct selfmon_report *report, size_t i,
			  size_t which)
{
	const struct selfmon_row *const row = &report->row[i];

	if (which == SHORTEST)
		return (double)row->time.min;
	if (which == LONGEST)
		return (double)row->time.max;
	if (!report->detail || !report->detail[i].bucket)
		return (double)NAN;
	return quantile_ns(row, &report->detail[i], quantile_of[which]);
}

/*
 * Returns the time of a visit without the overhead of its own enter and leave.
 */
static double without_ends(const struct selfmon_report *report,
			   const struct selfmon_row *row, double ns)
{
	const double own = greater_ns(row->own_ns, 0);

	return greater_ns(ns - lesser_ns(own, report->inner_ns), 0);
}

/* Estimates the overhead of the visits inside a visit. */
static double inside_ns(const struct selfmon_report *report,
			const struct selfmon_row *row, double ns)
{
	const double mean = (double)row->time.sum / (double)row->measured;
	const double own = greater_ns(row->own_ns, 0);

	return (own - lesser_ns(own, report->inner_ns)) *
	       (mean > 0 ? lesser_ns(ns / mean, 1) : 1);
}

/*
 * Returns the time of a visit without overhead. The result is at least `low` if
 * the measured time allows it.
 */
static uint64_t net_ns(const struct selfmon_report *report,
		       const struct selfmon_row *row, double ns, double low,
		       bool *unsure)
{
	const double most = without_ends(report, row, ns);
	const double guess = inside_ns(report, row, ns);
	double net = greater_ns(most - guess, lesser_ns(low, most));

	*unsure = most <= 0 || guess > most / 2;
	if (!(net > 0))
		net = 0;
	return net < SELFMON_WHOLE_MAX ? (uint64_t)net : INT64_MAX;
}

static double mean_overhead(const struct selfmon_row *row)
{
	return (double)row->time.sum / (double)row->measured -
	       row->time.net / (double)row->visits;
}

/*
 * Returns the largest time among the children that occur in each visit: those
 * with at least as many visits as the parent. For the longest visit, all
 * children count.
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
	row->unsure &= SELFMON_BOUND_MIN | SELFMON_BOUND_MAX;
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

/*
 * Iterates from the last row to the first: children come after their parents,
 * so a row's children are complete when the row is reached.
 */
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

/* ---- any quantile -------------------------------------------------------- */

static bool has_quantiles(const struct selfmon_report *report, size_t i)
{
	return report->row[i].time.verdict != SELFMON_NOT_COUNTED &&
	       report->detail && report->detail[i].bucket;
}

static double without_ends_at(const struct selfmon_report *report, size_t i,
			      double q)
{
	return without_ends(report, &report->row[i],
			    quantile_ns(&report->row[i], &report->detail[i],
					q));
}

/*
 * Returns a lower bound for the quantile of `row`: the quantile of row i less
 * the overhead in it. Row i is `row` itself or below it. If it is below, row i
 * and all rows between i and `row` must occur in each visit of their parents,
 * as in lower_bound(), else the result is 0. The bound is then at most each of
 * these parents' quantiles less the parent's own overhead of enter and leave.
 */
static double least_by(const struct selfmon_report *report, size_t row,
		       size_t i, double q)
{
	double ns;

	if (!has_quantiles(report, i))
		return 0;
	ns = quantile_ns(&report->row[i], &report->detail[i], q);
	ns = without_ends(report, &report->row[i], ns) -
	     inside_ns(report, &report->row[i], ns);
	while (i != row) {
		const size_t parent = (size_t)report->row[i].parent;

		if (!has_quantiles(report, parent) ||
		    report->row[i].visits < report->row[parent].visits)
			return 0;
		ns = lesser_ns(ns, without_ends_at(report, parent, q));
		i = parent;
	}
	return ns;
}

double selfmon_row_quantile(const struct selfmon_report *report, size_t row,
			    double q)
{
	double ns = 0;
	size_t i;

	if (row >= report->rows || !(q >= 0 && q <= 1) ||
	    !has_quantiles(report, row))
		return (double)NAN;
	for (i = row; i < report->rows; i++) {
		if (i > row && report->row[i].depth <= report->row[row].depth)
			break;
		ns = greater_ns(ns, least_by(report, row, i, q));
	}
	return ns < SELFMON_WHOLE_MAX ? (double)(uint64_t)ns : ns;
}
