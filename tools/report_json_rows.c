/* SPDX-License-Identifier: MIT */
#include "report_json_rows.h"

#include <stdlib.h>
#include <string.h>

#include "report/async_rows.h"
#include "report/units.h"
#include "report_facts.h"
#include "report_json_quantity.h"
#include "report_json_text.h"

/*
 * Reads a row's place in the tree. Each parent must precede its children, so
 * that there are no cycles. Each depth must be the parent's depth plus one.
 */
static void read_place(struct json_in *in, json_t *from,
		       const struct selfmon_report *report,
		       struct selfmon_row *row)
{
	const size_t here = (size_t)(row - report->row);
	uint64_t depth;

	if (json_in_integer(in, from, "id", INT32_MAX) != here)
		json_in_wrong(in, "id: %zu was expected", here);
	row->parent = -1;
	if (!json_in_is_null(in, from, "parent")) {
		row->parent = (int32_t)json_in_integer(in, from, "parent",
						       INT32_MAX);
		if (row->parent >= (int32_t)here)
			json_in_wrong(in, "parent: null or a row before this "
				      "one was expected");
	}
	if (in->fault[0])
		return;
	row->depth = row->parent < 0 ? 0 : report->row[row->parent].depth + 1;
	depth = json_in_integer(in, from, "depth", UINT32_MAX);
	if (depth != row->depth)
		json_in_wrong(in, "depth: %lu was expected",
			      (unsigned long)row->depth);
	row->line = (uint32_t)json_in_integer(in, from, "line", UINT32_MAX);
	row->threads = (uint32_t)json_in_integer(in, from, "threads",
						 UINT32_MAX);
}

/*
 * Reads the thread of a top-level row. The row may stand for several threads
 * that used the same statistics one after another.
 */
static void read_thread(struct json_in *in, json_t *from,
			const struct selfmon_row *row,
			struct selfmon_row_detail *detail)
{
	if (!json_object_get(from, "thread"))
		return;
	detail->thread.tid = (uint32_t)json_in_integer(in, from, "thread",
						       UINT32_MAX);
	detail->thread.threads = row->threads;
	if (row->depth || !row->threads)
		json_in_wrong(in, "thread: a row at the top, of 1 or more "
			      "threads, was expected");
}

/* Returns the index of a unit, which must be in the report's list. */
static size_t unit_named(struct json_in *in, json_t *from,
			 const struct selfmon_report *report)
{
	char name[SELFMON_UNIT_NAME_SIZE];
	size_t i;

	json_in_copy(in, from, "unit", name, sizeof(name));
	for (i = 0; i < report->units; i++)
		if (!strcmp(report->unit[i], name))
			return i;
	json_in_wrong(in, "unit: one of the report's was expected");
	return 0;
}

static void read_unit(struct json_in *in, json_t *from, struct selfmon_row *row,
		      struct selfmon_row_unit *to)
{
	to->visits = json_in_integer(in, from, "visits", INT64_MAX);
	to->min = json_in_integer(in, from, "min", INT64_MAX);
	to->max = json_in_integer(in, from, "max", INT64_MAX);
	if (!to->visits || to->visits > row->measured)
		json_in_wrong(in,
			      "visits: 1 to %llu were expected, those "
			      "measured",
			      (unsigned long long)row->measured);
	if (to->min > to->max)
		json_in_wrong(in, "min: at most max was expected");
	free(to->bucket); /* set if the unit is listed twice */
	to->bucket = NULL;
	to->buckets = report_json_buckets(
		in, json_in_list(in, from, "histogram"), &to->bucket);
	json_in_up(in);
}

/*
 * Reads the units of a row. Only rows that counted units have the member
 * `units`. Older reports have only the sums of bytes and items.
 */
static void read_units(struct json_in *in, json_t *row_json,
		       const struct selfmon_report *report,
		       struct selfmon_row *row,
		       struct selfmon_row_detail *detail)
{
	json_t *list;
	size_t i;

	row->unit[SELFMON_IMPL_BYTES] = row->bytes;
	row->unit[SELFMON_IMPL_ITEMS] = row->items;
	if (!json_object_get(row_json, "units"))
		return;
	list = json_in_list(in, row_json, "units");
	if (!selfmon_row_units(detail))
		json_in_wrong(in, "no memory");
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		json_t *const from = json_in_element(in, list, i);
		const size_t k = unit_named(in, from, report);

		row->unit[k] = json_in_integer(in, from, "sum", INT64_MAX);
		read_unit(in, from, row, &detail->unit[k]);
		json_in_up(in);
	}
	json_in_up(in);
}

static void check_row(struct json_in *in, const struct selfmon_row *row)
{
	if (row->measured > row->visits)
		json_in_wrong(in, "measured: at most the %llu visits were "
			      "expected", (unsigned long long)row->visits);
	if (row->whole > row->measured)
		json_in_wrong(in, "whole: at most the %llu measured were "
			      "expected", (unsigned long long)row->measured);
}

static void read_row(struct report_file *file, struct json_in *in,
		     struct selfmon_report *report, json_t *from, size_t i)
{
	const size_t facts = report->spans ? REPORT_FACTS_SPAN
					   : REPORT_FACTS_REGION;
	struct selfmon_row *const row = &report->row[i];
	size_t k;

	read_place(in, from, report, row);
	read_thread(in, from, row, &report->detail[i]);
	row->name = report_json_text(file, in, from, "name");
	row->file = report_json_text(file, in, from, "file");
	row->exclusive_valid = json_in_boolean(in, from, "exclusive_valid");
	for (k = 0; k < facts; k++)
		*report_fact_of(row, &report_fact[k]) = json_in_integer(
			in, from, report_fact[k].key, INT64_MAX);
	for (k = REPORT_FACTS_SPAN; k < REPORT_FACTS; k++)
		if (json_object_get(from, report_fact[k].key))
			*report_fact_of(row, &report_fact[k]) = json_in_integer(
				in, from, report_fact[k].key, INT64_MAX);
	check_row(in, row);
	report_json_time(in, from, row, &report->detail[i]);
	report_json_counters(in, from, row, &report->detail[i],
			     report->columns);
	read_units(in, from, report, row, &report->detail[i]);
}

static void read_rows(struct report_file *file, struct json_in *in,
		      struct selfmon_report *report, json_t *of)
{
	json_t *const list = json_in_list(in, of, "rows");
	const size_t rows = json_array_size(list);
	size_t i;

	report->row = calloc(rows + 1, sizeof(*report->row));
	report->detail = calloc(rows + 1, sizeof(*report->detail));
	if (!report->row || !report->detail || rows > INT32_MAX) {
		json_in_wrong(in, "no memory");
		return;
	}
	for (i = 0; !in->fault[0] && i < rows; i++) {
		/* Counted now, so that the row is freed after an error. */
		report->rows++;
		read_row(file, in, report, json_in_element(in, list, i), i);
		json_in_up(in);
	}
	json_in_up(in);
}

void report_json_rows(struct report_file *file, struct json_in *in)
{
	read_rows(file, in, file->report, in->root);
}

/* Older reports lack the member `async`. It is null if there are no spans. */
void report_json_async(struct report_file *file, struct json_in *in)
{
	struct selfmon_report *const report = file->report;
	struct selfmon_report *async;

	if (!json_object_get(in->root, "async") ||
	    json_in_is_null(in, in->root, "async"))
		return;
	async = malloc(sizeof(*async));
	if (!async) {
		json_in_wrong(in, "no memory");
		return;
	}
	selfmon_report_begin_async(async, report);
	report->async = async;
	read_rows(file, in, async, json_in_object(in, in->root, "async"));
	json_in_up(in);
}
