/* SPDX-License-Identifier: MIT */
#include "report_merge.h"

#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "report/add.h"
#include "report/apart.h"
#include "report/async_rows.h"
#include "report/order.h"
#include "report/units.h"
#include "report/visit_times.h"
#include "report_facts.h"
#include "report_merge_columns.h"
#include "report_merge_header.h"
#include "report_merge_place.h"
#include "report_merge_row.h"
#include "report_merge_samples.h"
#include "report_merge_slowest.h"
#include "tool.h"

/* ---- places -------------------------------------------------------------- */

static bool make_room(struct report_merging *merge, size_t rows)
{
	struct selfmon_report *const to = merge->to;

	to->row = calloc(rows + 1, sizeof(*to->row));
	to->detail = calloc(rows + 1, sizeof(*to->detail));
	merge->place = calloc(rows + 1, sizeof(*merge->place));
	return to->row && to->detail && merge->place &&
	       report_places_make(&merge->places, to, rows);
}

/*
 * Returns the index of the merged row for a row of the file. Adds the merged
 * row if necessary. parent is the index of a merged row.
 */
static size_t place_of(struct report_merging *merge, int32_t parent,
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

static void add_region(struct report_merging *merge, size_t i)
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
		report_merging_fail(merge, "threads", "too many in all files");
	/*
	 * A visit is whole if it has a value of each event of the merged
	 * report. The visits of a file that lacks one of these events are
	 * therefore not whole.
	 */
	if (!merge->whole)
		from.whole = 0;
	for (k = 0; k < REPORT_FACTS; k++)
		report_merge_add(merge, report_fact[k].key,
		    report_fact_of(to, &report_fact[k]),
		    *report_fact_of(&from, &report_fact[k]));
	report_merge_values(merge, at, i);
}

/*
 * Adds a row. Skips the rows of threads: the regions below them are added to
 * the merged report without a thread.
 */
static void add_row(struct report_merging *merge, size_t i)
{
	if (selfmon_row_is_thread(merge->file->report, i))
		merge->place[i] = -1;
	else
		add_region(merge, i);
}

/* Finds or adds a unit by its name. */
static size_t unit_of(struct report_merging *merge, const char *name)
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

static void add_file(struct report_merging *merge)
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

/* ---- all files ----------------------------------------------------------- */

static void add_all(struct report_merging *merge, struct report_file *files,
		    size_t count)
{
	size_t rows = 0, i;

	for (i = 0; i < count; i++)
		rows += files[i].report->rows;
	if (rows > INT32_MAX || !make_room(merge, rows)) {
		report_merging_no_memory(merge);
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
		report_merging_no_memory(merge);
	/*
	 * Rounding depends on the order of the additions. The rows are sorted
	 * by now, so it does not matter which file names a region first.
	 */
	for (i = 0; i < merge->to->rows; i++)
		if (merge->to->row[i].parent < 0 &&
		    merge->to->row[i].time.net > 0)
			merge->to->total_ns += merge->to->row[i].time.net;
}

static int merge_all(struct selfmon_report *to, struct report_file *files,
		     size_t count)
{
	struct report_merging merge = { .to = to };

	add_all(&merge, files, count);
	free(merge.places.slot);
	free(merge.place);
	return merge.status;
}

/* Merges detached spans like regions, but without parents. */
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
		status = report_merge_slowest(to, files, count);
	if (!status)
		status = merge_spans(to, files, count);
	if (status)
		selfmon_report_free(to);
	else
		*merged = to;
	return status;
}
