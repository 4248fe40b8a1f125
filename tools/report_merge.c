/* SPDX-License-Identifier: MIT */
/*
 * Merges reports of several processes, as the library merges threads: rows with
 * the same path become one row, and sums are added. Events that a process did
 * not count are in no sum, and its visits are not among those of the value.
 */
#include "report_merge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "report/add.h"
#include "report/apart.h"
#include "report/async_rows.h"
#include "report/bucket.h"
#include "report/order.h"
#include "report/units.h"
#include "report/visit_times.h"
#include "report_facts.h"
#include "report_merge_columns.h"
#include "report_merge_header.h"
#include "report_merge_place.h"
#include "report_merge_samples.h"
#include "tool.h"

struct merge {
	const struct report_file *file; /* the file being added */
	struct selfmon_report *to;
	struct report_places places;
	int32_t *place;  /* by row of the file: its row in the merged report */
	size_t column[SELFMON_MAX_COUNTERS]; /* by column of the file */
	size_t unit[SELFMON_MAX_UNITS];	     /* by unit of the file */
	size_t row;      /* the file's row being added */
	bool whole;      /* it counted every event that any process counted */
	int status;
};

static void fail_field(struct merge *merge, const char *key, const char *why)
{
	if (!merge->status)
		merge->status = tool_fail("report", "%s: rows[%zu].%s: %s",
					  merge->file->path, merge->row, key,
					  why);
}

static void fail_memory(struct merge *merge)
{
	if (!merge->status)
		merge->status = tool_fail("report", "no memory");
}

/* ---- places -------------------------------------------------------------- */

static bool make_room(struct merge *merge, size_t rows)
{
	struct selfmon_report *const to = merge->to;

	to->row = calloc(rows + 1, sizeof(*to->row));
	to->detail = calloc(rows + 1, sizeof(*to->detail));
	merge->place = calloc(rows + 1, sizeof(*merge->place));
	return to->row && to->detail && merge->place &&
	       report_places_make(&merge->places, to, rows);
}

/*
 * Returns the merged row for one of the file's, below a row of the merged
 * report.
 */
static size_t place_of(struct merge *merge, int32_t parent,
		       const struct selfmon_row *from)
{
	struct selfmon_report *const to = merge->to;
	uint32_t *const slot = report_place(&merge->places, parent, from);
	struct selfmon_row *row;

	if (*slot)
		return *slot - 1;
	*slot = (uint32_t)++to->rows;
	row = &to->row[to->rows - 1];
	row->name = from->name;
	row->file = from->file;
	row->line = from->line;
	row->parent = parent;
	row->exclusive_valid = true;
	return to->rows - 1;
}

/* ---- values -------------------------------------------------------------- */

static void add(struct merge *merge, const char *key, uint64_t *to, uint64_t n)
{
	if (__builtin_add_overflow(*to, n, to))
		fail_field(merge, key, "the sum of all files is more than a "
				       "number can hold");
}

static void add_quantity(struct merge *merge, const char *key, bool exclusive,
			 struct selfmon_quantity *to,
			 const struct selfmon_quantity *from)
{
	if (from->verdict == SELFMON_NOT_COUNTED)
		return;
	if (to->verdict == SELFMON_NOT_COUNTED) {
		*to = *from;
		return;
	}
	/* Ordered from more to less certain. */
	if (from->verdict > to->verdict)
		to->verdict = from->verdict;
	add(merge, key, &to->visits, from->visits);
	add(merge, key, &to->sum, from->sum);
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	if (exclusive &&
	    __builtin_add_overflow(to->exclusive, from->exclusive,
				   &to->exclusive))
		fail_field(merge, key, "the sum of exclusive values is more "
				       "than a number can hold");
	to->net += from->net;
	to->net_exclusive += from->net_exclusive;
	to->noise += from->noise;
}

static void add_time(struct merge *merge, size_t at, size_t i)
{
	const struct selfmon_report *const report = merge->file->report;
	const struct selfmon_row *const from = &report->row[i];
	struct selfmon_row *const to = &merge->to->row[at];

	if (from->time.verdict == SELFMON_NOT_COUNTED)
		return;
	if (!report->detail || !report->detail[i].bucket) {
		fail_field(merge, "time_ns.histogram", "is missing, and "
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
		fail_memory(merge);
	to->unsure |= from->unsure & (SELFMON_BOUND_MIN | SELFMON_BOUND_MAX);
	if (merge->whole)
		to->whole_ns += from->whole_ns;
}

static void add_counter(struct merge *merge, size_t at, size_t i, size_t column)
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
		fail_field(merge, "counters.scaled_enabled_ns", "is missing, "
			   "and shares cannot be merged without it: an older "
			   "library wrote the report");
		return;
	}
	add(merge, "scaled_enabled_ns", &detail->enabled_ns[k],
	    report->detail[i].enabled_ns[column]);
	add(merge, "scaled_off_ns", &detail->off_ns[k],
	    report->detail[i].off_ns[column]);
}

static void add_units(struct merge *merge, size_t at, size_t i)
{
	const struct selfmon_report *const report = merge->file->report;
	const struct selfmon_row_unit *const from = report->detail[i].unit;
	struct selfmon_row_detail *const to = &merge->to->detail[at];
	size_t k;

	for (k = 0; k < report->units; k++) {
		const size_t unit = merge->unit[k];

		add(merge, report->unit[k], &merge->to->row[at].unit[unit],
		    report->row[i].unit[k]);
		if (from && (!selfmon_row_units(to) ||
			     selfmon_row_unit_add(&to->unit[unit], &from[k])))
			fail_memory(merge);
	}
}

static void add_region(struct merge *merge, size_t i)
{
	const struct selfmon_report *const report = merge->file->report;
	struct selfmon_row from = report->row[i];
	const int32_t parent =
		from.parent < 0 ? -1 : merge->place[from.parent];
	const size_t at = place_of(merge, parent, &from);
	struct selfmon_row *const to = &merge->to->row[at];
	size_t k;

	merge->place[i] = (int32_t)at;
	merge->row = i;
	to->exclusive_valid = to->exclusive_valid && from.exclusive_valid;
	if (__builtin_add_overflow(to->threads, from.threads, &to->threads))
		fail_field(merge, "threads", "too many in all files");
	/* Whole visits have every value of the merged report. */
	if (!merge->whole)
		from.whole = 0;
	for (k = 0; k < REPORT_FACTS; k++)
		add(merge, report_fact[k].key,
		    report_fact_of(to, &report_fact[k]),
		    *report_fact_of(&from, &report_fact[k]));
	add_time(merge, at, i);
	for (k = 0; k < report->columns; k++)
		add_counter(merge, at, i, k);
	add_units(merge, at, i);
}

/* The regions of a thread are added to those of all threads. */
static void add_row(struct merge *merge, size_t i)
{
	if (selfmon_row_is_thread(merge->file->report, i))
		merge->place[i] = -1;
	else
		add_region(merge, i);
}

/* Finds a unit by its name, or adds it. */
static size_t unit_of(struct merge *merge, const char *name)
{
	struct selfmon_report *const to = merge->to;
	size_t i;

	for (i = 0; i < to->units; i++)
		if (!strcmp(to->unit[i], name))
			return i;
	if (i == SELFMON_MAX_UNITS) {
		if (!merge->status)
			merge->status = tool_fail(
				"report",
				"%s: unit %s: all files together "
				"have more than %d units",
				merge->file->path, name, SELFMON_MAX_UNITS);
		return 0;
	}
	strcpy(to->unit[to->units++], name);
	return i;
}

static void add_file(struct merge *merge)
{
	const struct selfmon_report *const report = merge->file->report;
	bool counted[SELFMON_MAX_COUNTERS + 1] = { false };
	size_t i;

	for (i = 0; i < report->columns; i++) {
		merge->column[i] =
			report_column_find(merge->to, report, i);
		counted[merge->column[i]] =
			report->column[i].verdict != SELFMON_NOT_COUNTED;
	}
	for (i = 0; i < report->units; i++)
		merge->unit[i] = unit_of(merge, report->unit[i]);
	merge->whole = true;
	for (i = 0; i < merge->to->columns; i++)
		if (merge->to->column[i].verdict != SELFMON_NOT_COUNTED &&
		    !counted[i])
			merge->whole = false;
	for (i = 0; i < report->rows && !merge->status; i++)
		add_row(merge, i);
}

/* ---- what is of all of them ---------------------------------------------- */

static void add_all(struct merge *merge, struct report_file *files,
		    size_t count)
{
	size_t rows = 0, i;

	for (i = 0; i < count; i++)
		rows += files[i].report->rows;
	if (rows > INT32_MAX || !make_room(merge, rows)) {
		fail_memory(merge);
		return;
	}
	for (i = 0; i < count && !merge->status; i++) {
		progress_at(i);
		merge->file = &files[i];
		add_file(merge);
	}
	for (i = 0; i < merge->to->rows && !merge->status; i++)
		selfmon_row_added(&merge->to->row[i], &merge->to->detail[i],
				  merge->to->columns);
	if (!merge->status && merge->to->rows &&
	    (selfmon_report_visit_times(merge->to) ||
	     selfmon_report_order(merge->to)))
		fail_memory(merge);
	/*
	 * Adds in this order, so that sums of fractions do not depend on the
	 * order of files.
	 */
	for (i = 0; i < merge->to->rows; i++)
		if (merge->to->row[i].parent < 0 &&
		    merge->to->row[i].time.net > 0)
			merge->to->total_ns += merge->to->row[i].time.net;
}

static int merge_all(struct selfmon_report *to, struct report_file *files,
		     size_t count)
{
	struct merge merge = { .to = to };

	add_all(&merge, files, count);
	free(merge.places.slot);
	free(merge.place);
	return merge.status;
}

/* Detached spans are merged as regions are: they have no parents. */
static int merge_spans(struct selfmon_report *merged,
		       const struct report_file *files, size_t count)
{
	struct report_file *const some = calloc(count + 1, sizeof(*some));
	size_t with = 0, i;
	int status = 0;

	merged->async = NULL;
	for (i = 0; some && i < count; i++) {
		if (!files[i].report->async)
			continue;
		some[with] = files[i];
		some[with++].report = files[i].report->async;
	}
	if (with)
		merged->async = malloc(sizeof(*merged->async));
	if (!some || (with && !merged->async))
		status = tool_fail("report", "no memory");
	if (!status && with) {
		selfmon_report_begin_async(merged->async, merged);
		status = merge_all(merged->async, some, with);
	}
	free(some);
	return status;
}

int report_merge(struct report_file *files, size_t count,
		 struct selfmon_report **merged)
{
	struct selfmon_report *const to = calloc(1, sizeof(*to));
	int status;

	*merged = NULL;
	if (!to)
		return tool_fail("report", "no memory");
	selfmon_report_units_begin(to);
	status = report_merge_header(to, files, count);
	if (!status)
		status = merge_all(to, files, count);
	if (!status)
		status = report_merge_samples(to, files, count);
	if (!status)
		status = merge_spans(to, files, count);
	if (status)
		selfmon_report_free(to);
	else
		*merged = to;
	return status;
}
