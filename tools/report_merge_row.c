/* SPDX-License-Identifier: MIT */
#include "report_merge_row.h"

#include "report/bucket.h"
#include "report/units.h"
#include "tool.h"

void report_merging_fail(struct report_merging *merge, const char *key,
			 const char *why)
{
	if (!merge->status)
		merge->status =
			tool_fail("report", "%s: rows[%zu].%s: %s",
				  merge->file->path, merge->row, key, why);
}

void report_merging_no_memory(struct report_merging *merge)
{
	if (!merge->status)
		merge->status = tool_fail("report", "no memory");
}

void report_merge_add(struct report_merging *merge, const char *key,
		      uint64_t *to, uint64_t n)
{
	if (__builtin_add_overflow(*to, n, to))
		report_merging_fail(merge, key,
				    "the sum of all files is more than a "
				    "number can hold");
}

static void add_quantity(struct report_merging *merge, const char *key,
			 bool exclusive, struct selfmon_quantity *to,
			 const struct selfmon_quantity *from)
{
	if (from->verdict == SELFMON_NOT_COUNTED)
		return;
	if (to->verdict == SELFMON_NOT_COUNTED) {
		*to = *from;
		return;
	}
	/* A larger verdict is less certain. */
	if (from->verdict > to->verdict)
		to->verdict = from->verdict;
	report_merge_add(merge, key, &to->visits, from->visits);
	report_merge_add(merge, key, &to->sum, from->sum);
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	if (exclusive && __builtin_add_overflow(to->exclusive, from->exclusive,
						&to->exclusive))
		report_merging_fail(merge, key,
				    "the sum of exclusive values is more "
				    "than a number can hold");
	to->net += from->net;
	to->net_exclusive += from->net_exclusive;
	to->noise += from->noise;
}

static void add_time(struct report_merging *merge, size_t at, size_t i)
{
	const struct selfmon_report *const report = merge->file->report;
	const struct selfmon_row *const from = &report->row[i];
	struct selfmon_row *const to = &merge->to->row[at];

	if (from->time.verdict == SELFMON_NOT_COUNTED)
		return;
	if (!report->detail || !report->detail[i].bucket) {
		report_merging_fail(
			merge, "time_ns.histogram",
			"is missing, and "
			"percentiles cannot be merged without it: an older "
			"library wrote the report");
		return;
	}
	add_quantity(merge, "time_ns", to->exclusive_valid, &to->time,
		     &from->time);
	if (selfmon_buckets_add(&merge->to->detail[at].bucket,
				&merge->to->detail[at].buckets,
				report->detail[i].bucket,
				report->detail[i].buckets))
		report_merging_no_memory(merge);
	to->unsure |= from->unsure & (SELFMON_BOUND_MIN | SELFMON_BOUND_MAX);
	if (merge->whole)
		to->whole_ns += from->whole_ns;
}

static void add_counter(struct report_merging *merge, size_t at, size_t i,
			size_t column)
{
	const struct selfmon_report *const report = merge->file->report;
	const struct selfmon_quantity *const from =
		&report->row[i].counter[column];
	struct selfmon_row_detail *const detail = &merge->to->detail[at];
	struct selfmon_row *const to = &merge->to->row[at];
	const size_t k = merge->column[column];

	add_quantity(merge, report->column[column].name, to->exclusive_valid,
		     &to->counter[k], from);
	if (from->verdict == SELFMON_NOT_COUNTED)
		return;
	detail->time_ns[k] += (double)report->row[i].time.sum;
	detail->on_ns[k] +=
		(double)report->row[i].time.sum * from->share_on_pmu;
	if (from->verdict != SELFMON_SCALED)
		return;
	if (!report->detail || !report->detail[i].enabled_ns[column]) {
		report_merging_fail(
			merge, "counters.scaled_enabled_ns",
			"is missing, "
			"and shares cannot be merged without it: an older "
			"library wrote the report");
		return;
	}
	report_merge_add(merge, "scaled_enabled_ns", &detail->enabled_ns[k],
			 report->detail[i].enabled_ns[column]);
	report_merge_add(merge, "scaled_off_ns", &detail->off_ns[k],
			 report->detail[i].off_ns[column]);
}

static void add_units(struct report_merging *merge, size_t at, size_t i)
{
	const struct selfmon_report *const report = merge->file->report;
	const struct selfmon_row_unit *const from = report->detail[i].unit;
	struct selfmon_row_detail *const to = &merge->to->detail[at];
	size_t k;

	for (k = 0; k < report->units; k++) {
		const size_t unit = merge->unit[k];

		report_merge_add(merge, report->unit[k],
				 &merge->to->row[at].unit[unit],
				 report->row[i].unit[k]);
		if (from && (!selfmon_row_units(to) ||
			     selfmon_row_unit_add(&to->unit[unit], &from[k])))
			report_merging_no_memory(merge);
	}
}

void report_merge_values(struct report_merging *merge, size_t at, size_t i)
{
	size_t column;

	add_time(merge, at, i);
	for (column = 0; column < merge->file->report->columns; column++)
		add_counter(merge, at, i, column);
	add_units(merge, at, i);
}
