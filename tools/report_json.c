/* SPDX-License-Identifier: MIT */
#include "report_json.h"

#include <stdlib.h>
#include <string.h>

#include "report/units.h"
#include "report/visit_times.h"
#include "report_json_head.h"
#include "report_json_rows.h"
#include "report_json_samples.h"
#include "report_json_slowest.h"
#include "report_json_text.h"
#include "store/unit.h"
#include "tool.h"

#define VERSION 1

#define COPY(in, from, key, to) json_in_copy(in, from, key, to, sizeof(to))

static void read_cost(struct json_in *in, json_t *from, const char *key,
		      double *to, size_t columns)
{
	json_t *const list = json_in_list(in, from, key);
	size_t i;

	if (!in->fault[0] && json_array_size(list) != columns)
		json_in_wrong(in, "%zu numbers were expected, not %zu",
			      columns, json_array_size(list));
	for (i = 0; !in->fault[0] && i < columns; i++)
		to[i] = json_in_number(in, json_array_get(list, i));
	json_in_up(in);
}

static void read_calibration(struct json_in *in, json_t *root,
			     struct selfmon_report *to)
{
	json_t *from;

	if (in->fault[0] || json_in_is_null(in, root, "calibration"))
		return;
	from = json_in_object(in, root, "calibration");
	to->calibrated = true;
	to->inner_ns = json_in_real(in, from, "inner_ns");
	to->inner_ns_spread = json_in_real(in, from, "inner_ns_spread");
	to->outer_ns = json_in_real(in, from, "outer_ns");
	to->outer_ns_spread = json_in_real(in, from, "outer_ns_spread");
	read_cost(in, from, "inner", to->inner, to->columns);
	read_cost(in, from, "outer", to->outer, to->columns);
	json_in_up(in);
}

static void read_columns(struct json_in *in, json_t *root,
			 struct selfmon_report *to)
{
	json_t *const list = json_in_list(in, root, "columns");
	size_t i;

	if (json_array_size(list) > SELFMON_MAX_COUNTERS)
		json_in_wrong(in, "at most %d columns were expected",
			      SELFMON_MAX_COUNTERS);
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		json_t *const from = json_in_element(in, list, i);
		struct selfmon_report_column *column =
			&to->column[to->columns++];

		COPY(in, from, "name", column->name);
		column->verdict = report_json_verdict(in, from);
		column->kernel = json_in_boolean(in, from, "kernel");
		if (from && json_object_get(from, "group"))
			column->group = (uint32_t)json_in_integer(
				in, from, "group", SELFMON_GROUP_MORE +
						   SELFMON_MORE_GROUPS);
		COPY(in, from, "reason", column->reason);
		if (from && json_object_get(from, "without"))
			column->without = (uint32_t)json_in_integer(
				in, from, "without", to->processes);
		json_in_up(in);
	}
	json_in_up(in);
}

/*
 * Reads the names of the units. Older reports lack the member `units`: they
 * have only bytes and items.
 */
static void read_unit_names(struct json_in *in, json_t *root,
			    struct selfmon_report *to)
{
	json_t *list;
	size_t i;

	selfmon_report_units_begin(to);
	if (in->fault[0] || !json_object_get(root, "units"))
		return;
	list = json_in_list(in, root, "units");
	if (json_array_size(list) > SELFMON_MAX_UNITS)
		json_in_wrong(in, "at most %d were expected",
			      SELFMON_MAX_UNITS);
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		const char *name = json_string_value(json_array_get(list, i));

		if (!name || !selfmon_unit_is_name(name) ||
		    (i < to->units && strcmp(name, to->unit[i]) != 0))
			json_in_wrong(in,
				      "bytes, items and names of letters, "
				      "digits, '_', '-' and '.' were expected");
		else if (i >= to->units)
			strcpy(to->unit[to->units++], name);
	}
	json_in_up(in);
}

static void read_errata(struct json_in *in, json_t *root,
			struct report_file *file)
{
	json_t *const list = json_in_list(in, root, "errata");
	size_t i;

	if (json_array_size(list) > SELFMON_ERRATA_MAX)
		json_in_wrong(in, "at most %d were expected",
			      SELFMON_ERRATA_MAX);
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		json_t *const from = json_in_element(in, list, i);
		struct selfmon_erratum *const to = &file->erratum[i];

		to->name = report_json_text(file, in, from, "name");
		to->text = report_json_text(file, in, from, "text");
		to->source = report_json_text(file, in, from, "source");
		to->events = report_json_text(file, in, from, "events");
		file->report->erratum[file->report->errata++] = to;
		json_in_up(in);
	}
	json_in_up(in);
}

static void read_notes(struct json_in *in, json_t *root,
		       struct selfmon_report *to)
{
	json_t *const list = json_in_list(in, root, "notes");
	size_t i;

	if (json_array_size(list) > SELFMON_NOTES_MAX)
		json_in_wrong(in, "at most %d were expected",
			      SELFMON_NOTES_MAX);
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (!text || strlen(text) >= SELFMON_MESSAGE_SIZE)
			json_in_wrong(in, "strings of at most %d bytes were "
				      "expected", SELFMON_MESSAGE_SIZE - 1);
		else
			strcpy(to->note[to->notes++], text);
	}
	json_in_up(in);
}

static void check_schema(struct json_in *in)
{
	char schema[64];

	if (!json_is_object(in->root))
		json_in_wrong(in, "an object was expected");
	json_in_copy(in, in->root, "schema", schema, sizeof(schema));
	if (!in->fault[0] && strcmp(schema, "selfmon-report") != 0)
		json_in_wrong(in, "schema: \"selfmon-report\" was expected");
	if (json_in_integer(in, in->root, "version", INT64_MAX) != VERSION)
		json_in_wrong(in, "version: %d was expected", VERSION);
}

static size_t rows_of(const json_t *of)
{
	return json_array_size(json_object_get(of, "rows"));
}

static bool make_room(struct report_file *file, json_t *root)
{
	const size_t rows =
		rows_of(root) + rows_of(json_object_get(root, "async"));

	file->report = calloc(1, sizeof(*file->report));
	file->text = calloc(2 * rows + 4 * SELFMON_ERRATA_MAX +
				    report_json_slowest_texts(root) + 1,
			    sizeof(*file->text));
	return file->report && file->text;
}

/* Returns true if the rows have the net times of their shortest visits. */
static bool has_extremes(const json_t *root)
{
	const json_t *const row =
		json_array_get(json_object_get(root, "rows"), 0);

	return json_object_get(json_object_get(row, "time_ns"), "shortest");
}

int report_json_read(struct report_file *file, const char *text, size_t size)
{
	struct json_in in = { .path = file->path, .text = text };

	if (!json_in_open(&in, size))
		return tool_fail("report", "%s", in.fault);
	check_schema(&in);
	if (!make_room(file, in.root)) {
		json_in_wrong(&in, "no memory");
	} else if (!in.fault[0]) {
		report_json_head(&in, file->report);
		read_columns(&in, in.root, file->report);
		read_calibration(&in, in.root, file->report);
		read_errata(&in, in.root, file);
		read_unit_names(&in, in.root, file->report);
		report_json_rows(file, &in);
		read_notes(&in, in.root, file->report);
		report_json_async(file, &in);
		report_json_samples(file, &in);
		report_json_slowest(file, &in);
		if (!in.fault[0] && !has_extremes(in.root) &&
		    selfmon_report_visit_times(file->report))
			json_in_wrong(&in, "no memory");
	}
	json_in_close(&in);
	return in.fault[0] ? tool_fail("report", "%s", in.fault) : 0;
}
