/* SPDX-License-Identifier: MIT */
/* Reads the model of a report from what libselfmon/report/json.c writes. */
#include "report_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/units.h"
#include "report/visit_times.h"
#include "report_facts.h"
#include "report_json_rows.h"
#include "report_json_samples.h"
#include "report_json_slowest.h"
#include "report_json_text.h"
#include "store/unit.h"
#include "tool.h"

#define VERSION 1

static const char *const choices[] = { "none", "list", "auto", "time",
				       "no-user-read", "slow-read", "failed",
				       NULL };

#define COPY(in, from, key, to) json_in_copy(in, from, key, to, sizeof(to))

static void read_options(struct json_in *in, json_t *root,
			 struct selfmon_report *to)
{
	to->every = (uint32_t)json_in_integer(in, root, "every", UINT32_MAX);
	to->fence = json_in_boolean(in, root, "fence");
	to->strict = json_in_boolean(in, root, "strict");
	to->guard = json_in_boolean(in, root, "guard");
	if (json_object_get(root, "off_cpu")) /* since 0.2.0 */
		to->off_cpu = json_in_boolean(in, root, "off_cpu");
	to->guard_gone = json_in_boolean(in, root, "guard_gone");
}

static void read_clock(struct json_in *in, json_t *root,
		       struct selfmon_report *to)
{
	COPY(in, root, "when", to->when);
	if (json_object_get(root, "since")) /* since 0.2.0 */
		COPY(in, root, "since", to->since);
	to->elapsed_ns = json_in_real(in, root, "elapsed_ns");
	/* Missing in earlier reports; null in live files and merged reports. */
	if (json_object_get(root, "cpu_ns") &&
	    !json_in_is_null(in, root, "cpu_ns"))
		to->cpu_ns = json_in_integer(in, root, "cpu_ns", INT64_MAX);
	COPY(in, root, "clock", to->clock);
	if (!json_in_is_null(in, root, "clock_hz"))
		to->clock_hz = json_in_integer(in, root, "clock_hz", INT64_MAX);
	to->clock_error_ppm = (uint32_t)json_in_integer(
		in, root, "clock_error_ppm", UINT32_MAX);
}

/* Earlier reports lack the later counts. */
static void read_counts(struct json_in *in, json_t *root,
			struct selfmon_report *to)
{
	size_t i;

	for (i = 0; i < REPORT_COUNTS; i++) {
		const char *const key = report_count[i].key;

		if (i >= REPORT_COUNTS_FIRST && !json_object_get(root, key))
			continue;
		*report_fact_of(to, &report_count[i]) =
			json_in_integer(in, root, key, INT64_MAX);
	}
}

static void read_head(struct json_in *in, json_t *root,
		      struct selfmon_report *to)
{
	COPY(in, root, "program", to->program);
	if (!json_in_is_null(in, root, "pid"))
		to->pid = (int32_t)json_in_integer(in, root, "pid", INT32_MAX);
	to->forked = json_in_boolean(in, root, "forked");
	COPY(in, root, "cpu", to->cpu);
	COPY(in, root, "hypervisor", to->hypervisor);
	COPY(in, root, "kernel", to->kernel);
	read_clock(in, root, to);
	to->choice = (enum selfmon_choice)json_in_word(in, root, "choice",
						       choices);
	COPY(in, root, "events", to->events);
	COPY(in, root, "events_reason", to->events_reason);
	COPY(in, root, "read_reason", to->read_reason);
	if (json_object_get(root, "counters_off")) /* since 0.2.0 */
		COPY(in, root, "counters_off", to->counters_off);
	if (json_object_get(root, "slow_path")) /* since 0.2.0 */
		COPY(in, root, "slow_path", to->slow_path);
	to->read_ns = json_in_integer(in, root, "read_ns", INT64_MAX);
	read_options(in, root, to);
	read_counts(in, root, to);
	COPY(in, root, "slowed_reason",
	     to->limited[SELFMON_LIMITED_SLOW].reason);
	COPY(in, root, "degraded_reason",
	     to->limited[SELFMON_LIMITED_LESS].reason);
	COPY(in, root, "time_alone_reason",
	     to->limited[SELFMON_LIMITED_TIME].reason);
	if (json_object_get(root, "no_off_cpu_reason")) /* since 0.2.0 */
		COPY(in, root, "no_off_cpu_reason",
		     to->limited[SELFMON_LIMITED_OFF_CPU].reason);
	if (json_object_get(root, "no_samples_reason")) /* since 0.2.0 */
		COPY(in, root, "no_samples_reason",
		     to->limited[SELFMON_LIMITED_SAMPLES].reason);
	to->total_ns = json_in_real(in, root, "total_ns");
}

static void read_process(struct json_in *in, json_t *from,
			 struct selfmon_report_process *to)
{
	COPY(in, from, "file", to->file);
	COPY(in, from, "program", to->program);
	to->pid = (int32_t)json_in_integer(in, from, "pid", INT32_MAX);
	to->forked = json_in_boolean(in, from, "forked");
	to->calibrated = json_in_boolean(in, from, "calibrated");
	if (from && json_object_get(from, "inner_ns"))
		to->inner_ns = json_in_real(in, from, "inner_ns");
	COPY(in, from, "when", to->when);
	to->elapsed_ns = json_in_real(in, from, "elapsed_ns");
	COPY(in, from, "clock", to->clock);
	to->clock_hz = json_in_integer(in, from, "clock_hz", INT64_MAX);
	to->clock_error_ppm = (uint32_t)json_in_integer(
		in, from, "clock_error_ppm", UINT32_MAX);
}

/* Missing in reports from before merging existed. */
static void read_processes(struct json_in *in, json_t *root,
			   struct selfmon_report *to)
{
	json_t *list;
	size_t i;

	if (!json_object_get(root, "processes"))
		return;
	list = json_in_list(in, root, "processes");
	to->process = calloc(json_array_size(list) + 1, sizeof(*to->process));
	if (!to->process) {
		json_in_wrong(in, "no memory");
		return;
	}
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		read_process(in, json_in_element(in, list, i), &to->process[i]);
		json_in_up(in);
		to->processes++;
	}
	json_in_up(in);
}

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

/* Missing in earlier reports: these have bytes and items alone. */
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

/* A merged report has values only in its list of processes. */
static void check_processes(struct json_in *in, json_t *root,
			    const struct selfmon_report *report)
{
	if (in->fault[0])
		return;
	if (!report->processes && json_in_is_null(in, root, "pid"))
		json_in_wrong(in, "pid: a number was expected, not null");
	if (!report->processes && !report->clock_hz)
		json_in_wrong(in, "clock_hz: more than 0 was expected");
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

/* Returns true if the rows have the net time of the shortest visit. */
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
		read_head(&in, in.root, file->report);
		read_processes(&in, in.root, file->report);
		check_processes(&in, in.root, file->report);
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
