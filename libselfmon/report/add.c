/* SPDX-License-Identifier: MIT */
#include "report/add.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "report/bucket.h"
#include "report/units.h"
#include "report/visit_times.h"

#define FACT(name) offsetof(struct selfmon_row, name)
/* Members of a row that are added up. */
static const uint16_t row_fact[] = {
	FACT(visits),	  FACT(measured),   FACT(open),	     FACT(cut_off),
	FACT(migrated),	  FACT(disturbed),  FACT(retried),
	FACT(slow),	  FACT(repaired),   FACT(impossible), FACT(refused),
	FACT(lost),	  FACT(overlapped), FACT(switched),  FACT(whole),
	FACT(bytes),	  FACT(items),	    FACT(suspended), FACT(suspended_ns),
	FACT(blocked_ns), FACT(preempted_ns), FACT(switches), FACT(preemptions),
	FACT(samples),	  FACT(samples_within),
};

/*
 * The subset of row_fact[] whose values include the rows below, as time does.
 */
static const uint16_t inclusive_fact[] = {
	FACT(suspended),  FACT(suspended_ns), FACT(blocked_ns),
	FACT(preempted_ns), FACT(switches), FACT(preemptions),
	FACT(samples_within),
};

static void add_up(uint64_t *to, uint64_t n)
{
	if (__builtin_add_overflow(*to, n, to))
		*to = UINT64_MAX;
}

static void add_facts_of(struct selfmon_row *to, const struct selfmon_row *from)
{
	size_t i;

	for (i = 0; i < sizeof(row_fact) / sizeof(row_fact[0]); i++)
		add_up((uint64_t *)(void *)((char *)to + row_fact[i]),
		       *(const uint64_t *)(const void *)(
			       (const char *)from + row_fact[i]));
	for (i = 0; i < SELFMON_MAX_UNITS; i++)
		add_up(&to->unit[i], from->unit[i]);
	if (to->threads < from->threads)
		to->threads = from->threads;
	to->exclusive_valid = to->exclusive_valid && from->exclusive_valid;
	to->whole_ns += from->whole_ns;
}

static void add_self_of(struct selfmon_quantity *to,
			const struct selfmon_quantity *from)
{
	if (__builtin_add_overflow(to->exclusive, from->exclusive,
				   &to->exclusive))
		to->exclusive = from->exclusive < 0 ? INT64_MIN : INT64_MAX;
	to->net_exclusive += from->net_exclusive;
}

static void add_row_value(struct selfmon_quantity *to,
		      const struct selfmon_quantity *from)
{
	if (from->verdict == SELFMON_NOT_COUNTED)
		return;
	if (to->verdict == SELFMON_NOT_COUNTED) {
		*to = *from;
		return;
	}
	/*
	 * A larger verdict is less certain, and the sum is as uncertain as its
	 * worst part.
	 */
	if (from->verdict > to->verdict)
		to->verdict = from->verdict;
	add_up(&to->visits, from->visits);
	add_up(&to->sum, from->sum);
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->net += from->net;
	to->noise += from->noise;
	add_self_of(to, from);
}

static void add_shares(struct selfmon_row_detail *to,
		       const struct selfmon_row *row,
		       const struct selfmon_row_detail *from, size_t columns)
{
	const double ns = (double)row->time.sum;
	size_t k;

	for (k = 0; k < columns; k++) {
		const struct selfmon_quantity *const value = &row->counter[k];

		if (value->verdict == SELFMON_NOT_COUNTED)
			continue;
		to->time_ns[k] += ns;
		to->on_ns[k] += ns * value->share_on_pmu;
		if (!from || value->verdict != SELFMON_SCALED)
			continue;
		add_up(&to->enabled_ns[k], from->enabled_ns[k]);
		add_up(&to->off_ns[k], from->off_ns[k]);
	}
}

int selfmon_row_add(struct selfmon_row *to, struct selfmon_row_detail *to_detail,
		    const struct selfmon_row *from,
		    const struct selfmon_row_detail *from_detail,
		    size_t columns)
{
	size_t k;

	add_facts_of(to, from);
	add_row_value(&to->time, &from->time);
	for (k = 0; k < columns; k++)
		add_row_value(&to->counter[k], &from->counter[k]);
	add_shares(to_detail, from, from_detail, columns);
	if (!from_detail)
		return 0;
	if (from_detail->bucket &&
	    selfmon_buckets_add(&to_detail->bucket, &to_detail->buckets,
				from_detail->bucket, from_detail->buckets))
		return -ENOMEM;
	return selfmon_row_units_add(to_detail, from_detail);
}

static void take_out_value(struct selfmon_quantity *to,
			   const struct selfmon_quantity *from)
{
	if (from->verdict == SELFMON_NOT_COUNTED ||
	    to->verdict == SELFMON_NOT_COUNTED)
		return;
	to->sum -= from->sum < to->sum ? from->sum : to->sum;
	to->net -= from->net;
	to->noise -= from->noise < to->noise ? from->noise : to->noise;
}

void selfmon_row_take_out(struct selfmon_row *to, const struct selfmon_row *from,
			  size_t columns)
{
	size_t i, k;

	for (i = 0; i < sizeof(inclusive_fact) / sizeof(inclusive_fact[0]); i++) {
		uint64_t *const n = (uint64_t *)(void *)((char *)to +
							 inclusive_fact[i]);
		const uint64_t out = *(const uint64_t *)(const void *)(
			(const char *)from + inclusive_fact[i]);

		*n -= out < *n ? out : *n;
	}
	take_out_value(&to->time, &from->time);
	for (k = 0; k < columns; k++)
		take_out_value(&to->counter[k], &from->counter[k]);
	to->whole_ns -= from->whole_ns;
}

void selfmon_row_add_self(struct selfmon_row *to, const struct selfmon_row *from,
			  size_t columns)
{
	size_t k;

	to->exclusive_valid = to->exclusive_valid && from->exclusive_valid;
	add_self_of(&to->time, &from->time);
	for (k = 0; k < columns; k++)
		add_self_of(&to->counter[k], &from->counter[k]);
}

void selfmon_row_added(struct selfmon_row *row,
		       const struct selfmon_row_detail *detail, size_t columns)
{
	size_t k;

	for (k = 0; k < columns; k++) {
		if (detail->time_ns[k] > 0)
			row->counter[k].share_on_pmu =
				detail->on_ns[k] / detail->time_ns[k];
		if (row->counter[k].verdict == SELFMON_SCALED &&
		    detail->enabled_ns[k])
			row->counter[k].guessed =
				(double)detail->off_ns[k] /
				(double)detail->enabled_ns[k];
	}
}

/*
 * Passes the row as the only row of a report, since
 * selfmon_report_visit_times() computes all rows of a report.
 */
int selfmon_row_settle_sum(const struct selfmon_report *to, size_t i)
{
	struct selfmon_report alone = *to;
	const int32_t parent = to->row[i].parent;
	int error;

	selfmon_row_added(&to->row[i], &to->detail[i], to->columns);
	alone.rows = 1;
	alone.row = &to->row[i];
	alone.detail = &to->detail[i];
	alone.row->parent = -1;
	error = selfmon_report_visit_times(&alone);
	alone.row->parent = parent;
	return error;
}
