/* SPDX-License-Identifier: MIT */
/* The report as one JSON object; docs/REPORT.md describes the schema. */
#include <inttypes.h>
#include <string.h>

#include <selfmon/version.h>

#include "report/errata.h"
#include "report/escape.h"
#include "report/metric.h"
#include "report/model.h"
#include "report/number.h"

#define SCHEMA_VERSION 1

/* What is written, and what must come before the next member. */
struct json {
	FILE *stream;
	const char *indent; /* "\n  " between members, or "" on one line */
	bool first;
};

static void key(struct json *json, const char *name)
{
	fprintf(json->stream, "%s%s\"%s\": ", json->first ? "" : ",",
		json->indent[0] ? json->indent : json->first ? "" : " ", name);
	json->first = false;
}

static void put_hex(FILE *stream, const char *s)
{
	putc('"', stream);
	for (; *s; s++)
		fprintf(stream, "%02x", (unsigned int)(unsigned char)*s);
	putc('"', stream);
}

/* Invalid UTF-8: all bytes once more, in hexadecimal, so that none is lost. */
static void string(struct json *json, const char *name, const char *value)
{
	char hex[64];

	key(json, name);
	selfmon_json_string(json->stream, value);
	if (selfmon_utf8_valid(value))
		return;
	snprintf(hex, sizeof(hex), "%s_hex", name);
	key(json, hex);
	put_hex(json->stream, value);
}

static void integer(struct json *json, const char *name, uint64_t value)
{
	key(json, name);
	fprintf(json->stream, "%" PRIu64, value);
}

static void signed_integer(struct json *json, const char *name, int64_t value)
{
	key(json, name);
	fprintf(json->stream, "%" PRId64, value);
}

static void put_real(FILE *stream, double value)
{
	char text[SELFMON_NUMBER_SIZE];

	selfmon_number_exact(text, value);
	fputs(text, stream);
}

static void real(struct json *json, const char *name, double value)
{
	key(json, name);
	put_real(json->stream, value);
}

static void boolean(struct json *json, const char *name, bool value)
{
	key(json, name);
	fputs(value ? "true" : "false", json->stream);
}

static void null(struct json *json, const char *name)
{
	key(json, name);
	fputs("null", json->stream);
}

static const char *choice_name(enum selfmon_choice choice)
{
	switch (choice) {
	case SELFMON_CHOICE_LIST: return "list";
	case SELFMON_CHOICE_AUTO: return "auto";
	case SELFMON_CHOICE_TIME: return "time";
	case SELFMON_CHOICE_NO_USER_READ: return "no-user-read";
	case SELFMON_CHOICE_SLOW_READ: return "slow-read";
	case SELFMON_CHOICE_FAILED: return "failed";
	default: return "none";
	}
}

static void put_limited(struct json *json, const struct selfmon_report *report)
{
	static const char *const name[SELFMON_LIMITED_COUNT][2] = {
		[SELFMON_LIMITED_SLOW] = { "slowed", "slowed_reason" },
		[SELFMON_LIMITED_LESS] = { "degraded", "degraded_reason" },
		[SELFMON_LIMITED_TIME] = { "time_alone", "time_alone_reason" },
	};
	size_t i;

	for (i = 0; i < SELFMON_LIMITED_COUNT; i++) {
		integer(json, name[i][0], report->limited[i].threads);
		string(json, name[i][1], report->limited[i].reason);
	}
}

static void header(struct json *json, const struct selfmon_report *report)
{
	string(json, "program", report->program);
	if (report->processes)
		null(json, "pid");
	else
		signed_integer(json, "pid", report->pid);
	boolean(json, "forked", report->forked);
	string(json, "cpu", report->cpu);
	string(json, "hypervisor", report->hypervisor);
	string(json, "kernel", report->kernel);
	string(json, "when", report->when);
	real(json, "elapsed_ns", report->elapsed_ns);
	string(json, "clock", report->clock);
	if (report->clock_hz || !report->processes)
		integer(json, "clock_hz", report->clock_hz);
	else
		null(json, "clock_hz");
	integer(json, "clock_error_ppm", report->clock_error_ppm);
	string(json, "choice", choice_name(report->choice));
	string(json, "events", report->events);
	string(json, "events_reason", report->events_reason);
	string(json, "read_reason", report->read_reason);
	string(json, "slow_path", report->slow_path);
	integer(json, "read_ns", report->read_ns);
	integer(json, "every", report->every);
	boolean(json, "fence", report->fence);
	boolean(json, "strict", report->strict);
	boolean(json, "guard", report->guard);
	boolean(json, "guard_gone", report->guard_gone);
	integer(json, "taken", report->taken);
	integer(json, "threads", report->threads);
	integer(json, "threads_at_once", report->threads_at_once);
	put_limited(json, report);
	integer(json, "refused", report->refused);
	integer(json, "too_deep", report->too_deep);
	integer(json, "unready", report->unready);
	integer(json, "displaced", report->displaced);
	integer(json, "stale", report->stale);
	integer(json, "torn", report->torn);
	integer(json, "unread", report->unread);
	real(json, "total_ns", report->total_ns);
}

static void reals(struct json *json, const char *name, const double *value,
		  size_t values)
{
	size_t i;

	key(json, name);
	putc('[', json->stream);
	for (i = 0; i < values; i++) {
		fputs(i ? ", " : "", json->stream);
		put_real(json->stream, value[i]);
	}
	putc(']', json->stream);
}

static void put_calibration(struct json *outer,
			    const struct selfmon_report *report)
{
	struct json json = { outer->stream, "", true };

	if (!report->calibrated) {
		null(outer, "calibration");
		return;
	}
	key(outer, "calibration");
	putc('{', json.stream);
	real(&json, "inner_ns", report->inner_ns);
	real(&json, "inner_ns_spread", report->inner_ns_spread);
	real(&json, "outer_ns", report->outer_ns);
	real(&json, "outer_ns_spread", report->outer_ns_spread);
	reals(&json, "inner", report->inner, report->columns);
	reals(&json, "outer", report->outer, report->columns);
	putc('}', json.stream);
}

static void processes(struct json *outer, const struct selfmon_report *report)
{
	size_t i;

	key(outer, "processes");
	putc('[', outer->stream);
	for (i = 0; i < report->processes; i++) {
		const struct selfmon_report_process *of = &report->process[i];
		struct json json = { outer->stream, "", true };

		fputs(i ? ",\n    {" : "\n    {", json.stream);
		string(&json, "file", of->file);
		string(&json, "program", of->program);
		signed_integer(&json, "pid", of->pid);
		boolean(&json, "forked", of->forked);
		boolean(&json, "calibrated", of->calibrated);
		real(&json, "inner_ns", of->inner_ns);
		string(&json, "when", of->when);
		real(&json, "elapsed_ns", of->elapsed_ns);
		string(&json, "clock", of->clock);
		integer(&json, "clock_hz", of->clock_hz);
		integer(&json, "clock_error_ppm", of->clock_error_ppm);
		putc('}', json.stream);
	}
	fputs(i ? "\n  ]" : "]", outer->stream);
}

static void columns(struct json *outer, const struct selfmon_report *report)
{
	size_t i;

	key(outer, "columns");
	putc('[', outer->stream);
	for (i = 0; i < report->columns; i++) {
		const struct selfmon_report_column *column = &report->column[i];
		struct json json = { outer->stream, "", true };

		fputs(i ? ",\n    {" : "\n    {", json.stream);
		string(&json, "name", column->name);
		string(&json, "verdict", selfmon_verdict_name(column->verdict));
		boolean(&json, "kernel", column->kernel);
		integer(&json, "group", column->group);
		string(&json, "reason", column->reason);
		integer(&json, "without", column->without);
		putc('}', json.stream);
	}
	fputs(i ? "\n  ]" : "]", outer->stream);
}

static void errata(struct json *outer, const struct selfmon_report *report)
{
	char names[SELFMON_TEXT_MAX];
	size_t i;

	key(outer, "errata");
	putc('[', outer->stream);
	for (i = 0; i < report->errata; i++) {
		const struct selfmon_erratum *erratum = report->erratum[i];
		struct json json = { outer->stream, "", true };

		fputs(i ? ",\n    {" : "\n    {", json.stream);
		selfmon_erratum_columns(report, erratum, names, sizeof(names));
		string(&json, "name", erratum->name);
		string(&json, "events", names);
		string(&json, "text", erratum->text);
		string(&json, "source", erratum->source);
		putc('}', json.stream);
	}
	fputs(i ? "\n  ]" : "]", outer->stream);
}

static void quantity_values(struct json *json,
			    const struct selfmon_quantity *quantity,
			    bool exclusive)
{
	integer(json, "sum", quantity->sum);
	integer(json, "min", quantity->min);
	integer(json, "max", quantity->max);
	real(json, "net", quantity->net);
	real(json, "noise", quantity->noise);
	real(json, "share_on_pmu", quantity->share_on_pmu);
	real(json, "guessed", quantity->guessed);
	if (exclusive) {
		signed_integer(json, "exclusive", quantity->exclusive);
		real(json, "net_exclusive", quantity->net_exclusive);
	} else {
		null(json, "exclusive");
		null(json, "net_exclusive");
	}
}

/* Without its closing brace. */
static void quantity(struct json *json, const struct selfmon_row *row,
		     const struct selfmon_quantity *of)
{
	static const char *const name[] = { "sum", "min", "max", "net",
					    "noise", "share_on_pmu", "guessed",
					    "exclusive", "net_exclusive" };
	size_t i;

	putc('{', json->stream);
	string(json, "verdict", selfmon_verdict_name(of->verdict));
	integer(json, "visits", of->visits);
	if (of->verdict != SELFMON_NOT_COUNTED) {
		quantity_values(json, of, row->exclusive_valid);
		return;
	}
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		null(json, name[i]);
}

/* Pairs of ns and visits; null where they are not known. */
static void histogram(struct json *json, const struct selfmon_row_detail *of)
{
	size_t i;

	if (!of || !of->bucket) {
		null(json, "histogram");
		return;
	}
	key(json, "histogram");
	putc('[', json->stream);
	for (i = 0; i < of->buckets; i++) {
		fputs(i ? ", [" : "[", json->stream);
		put_real(json->stream, of->bucket[i].ns);
		fprintf(json->stream, ", %" PRIu64 "]", of->bucket[i].visits);
	}
	putc(']', json->stream);
}

static void scaled(struct json *json, enum selfmon_verdict verdict,
		   const struct selfmon_row_detail *of, size_t column)
{
	if (!of || verdict != SELFMON_SCALED || !of->enabled_ns[column]) {
		null(json, "scaled_enabled_ns");
		null(json, "scaled_off_ns");
		return;
	}
	integer(json, "scaled_enabled_ns", of->enabled_ns[column]);
	integer(json, "scaled_off_ns", of->off_ns[column]);
}

static void row_time(struct json *outer, const struct selfmon_row *row,
		     const struct selfmon_row_detail *detail)
{
	struct json json = { outer->stream, "", true };

	key(outer, "time_ns");
	quantity(&json, row, &row->time);
	if (row->time.verdict != SELFMON_NOT_COUNTED) {
		integer(&json, "p50", row->p50_ns);
		integer(&json, "p90", row->p90_ns);
		integer(&json, "p99", row->p99_ns);
		integer(&json, "shortest", row->min_ns);
		integer(&json, "longest", row->max_ns);
		integer(&json, "unsure", row->unsure);
		real(&json, "whole", row->whole_ns);
		histogram(&json, detail);
	} else {
		null(&json, "p50");
		null(&json, "p90");
		null(&json, "p99");
		null(&json, "shortest");
		null(&json, "longest");
		null(&json, "unsure");
		null(&json, "whole");
		null(&json, "histogram");
	}
	putc('}', json.stream);
}

static void row_facts(struct json *json, const struct selfmon_row *row)
{
	integer(json, "threads", row->threads);
	integer(json, "visits", row->visits);
	integer(json, "measured", row->measured);
	integer(json, "open", row->open);
	integer(json, "cut_off", row->cut_off);
	integer(json, "foreign", row->foreign);
	integer(json, "migrated", row->migrated);
	integer(json, "disturbed", row->disturbed);
	integer(json, "retried", row->retried);
	integer(json, "slow", row->slow);
	integer(json, "repaired", row->repaired);
	integer(json, "impossible", row->impossible);
	integer(json, "refused", row->refused);
	integer(json, "lost", row->lost);
	integer(json, "overlapped", row->overlapped);
	integer(json, "switched", row->switched);
	boolean(json, "exclusive_valid", row->exclusive_valid);
	integer(json, "whole", row->whole);
	integer(json, "bytes", row->bytes);
	integer(json, "items", row->items);
}

static void put_row(FILE *stream, const struct selfmon_report *report,
		    const struct selfmon_ratios *ratios, size_t i)
{
	const struct selfmon_row *row = &report->row[i];
	const struct selfmon_row_detail *detail =
		report->detail ? &report->detail[i] : NULL;
	struct json json = { stream, "", true };
	size_t k;

	putc('{', stream);
	integer(&json, "id", i);
	if (row->parent >= 0)
		signed_integer(&json, "parent", row->parent);
	else
		null(&json, "parent");
	integer(&json, "depth", row->depth);
	string(&json, "name", row->name);
	string(&json, "file", row->file);
	integer(&json, "line", row->line);
	row_facts(&json, row);
	row_time(&json, row, detail);
	key(&json, "counters");
	putc('[', stream);
	for (k = 0; k < report->columns; k++) {
		struct json counter = { stream, "", true };

		fputs(k ? ", " : "", stream);
		quantity(&counter, row, &row->counter[k]);
		scaled(&counter, row->counter[k].verdict, detail, k);
		putc('}', stream);
	}
	putc(']', stream);
	key(&json, "metrics");
	selfmon_json_row_metrics(stream, report, row, ratios);
	putc('}', stream);
}

void selfmon_report_json(const struct selfmon_report *report, FILE *stream)
{
	struct json json = { stream, "\n  ", true };
	struct selfmon_ratios ratios;
	size_t i;

	selfmon_ratios_find(report, &ratios);
	putc('{', stream);
	string(&json, "schema", "selfmon-report");
	integer(&json, "version", SCHEMA_VERSION);
	string(&json, "library", SELFMON_VERSION);
	header(&json, report);
	processes(&json, report);
	put_calibration(&json, report);
	columns(&json, report);
	errata(&json, report);
	key(&json, "metrics");
	selfmon_json_metrics(stream, report, &ratios);
	key(&json, "rows");
	putc('[', stream);
	for (i = 0; i < report->rows; i++) {
		fputs(i ? ",\n    " : "\n    ", stream);
		put_row(stream, report, &ratios, i);
	}
	fputs(i ? "\n  ]" : "]", stream);
	key(&json, "notes");
	putc('[', stream);
	for (i = 0; i < report->notes; i++) {
		fputs(i ? ", " : "", stream);
		selfmon_json_string(stream, report->note[i]);
	}
	fputs("]\n}\n", stream);
}
