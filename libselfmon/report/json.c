/* SPDX-License-Identifier: MIT */
/* The report as one JSON object; docs/REPORT.md describes the schema. */
#include <selfmon/version.h>

#include "platform/escape.h"
#include "report/apart.h"
#include "report/errata.h"
#include "report/json_put.h"
#include "report/metric.h"
#include "report/model.h"

#define SCHEMA_VERSION 1

static const char *choice_name(enum selfmon_choice choice)
{
	switch (choice) {
	case SELFMON_CHOICE_LIST:
		return "list";
	case SELFMON_CHOICE_AUTO:
		return "auto";
	case SELFMON_CHOICE_TIME:
		return "time";
	case SELFMON_CHOICE_NO_USER_READ:
		return "no-user-read";
	case SELFMON_CHOICE_SLOW_READ:
		return "slow-read";
	case SELFMON_CHOICE_FAILED:
		return "failed";
	default:
		return "none";
	}
}

static void put_limited(struct selfmon_json *json,
			const struct selfmon_report *report)
{
	static const char *const name[SELFMON_LIMITED_COUNT][2] = {
		[SELFMON_LIMITED_SLOW] = { "slowed", "slowed_reason" },
		[SELFMON_LIMITED_LESS] = { "degraded", "degraded_reason" },
		[SELFMON_LIMITED_TIME] = { "time_alone", "time_alone_reason" },
	};
	size_t i;

	for (i = 0; i < SELFMON_LIMITED_COUNT; i++) {
		selfmon_json_integer(json, name[i][0],
				     report->limited[i].threads);
		selfmon_json_text(json, name[i][1], report->limited[i].reason);
	}
}

static void header(struct selfmon_json *json,
		   const struct selfmon_report *report)
{
	selfmon_json_text(json, "program", report->program);
	if (report->processes)
		selfmon_json_null(json, "pid");
	else
		selfmon_json_signed(json, "pid", report->pid);
	selfmon_json_boolean(json, "forked", report->forked);
	selfmon_json_text(json, "cpu", report->cpu);
	selfmon_json_text(json, "hypervisor", report->hypervisor);
	selfmon_json_text(json, "kernel", report->kernel);
	selfmon_json_text(json, "when", report->when);
	selfmon_json_text(json, "since", report->since);
	selfmon_json_real(json, "elapsed_ns", report->elapsed_ns);
	if (report->cpu_ns)
		selfmon_json_integer(json, "cpu_ns", report->cpu_ns);
	else
		selfmon_json_null(json, "cpu_ns");
	selfmon_json_text(json, "clock", report->clock);
	if (report->clock_hz || !report->processes)
		selfmon_json_integer(json, "clock_hz", report->clock_hz);
	else
		selfmon_json_null(json, "clock_hz");
	selfmon_json_integer(json, "clock_error_ppm", report->clock_error_ppm);
	selfmon_json_text(json, "choice", choice_name(report->choice));
	selfmon_json_text(json, "events", report->events);
	selfmon_json_text(json, "events_reason", report->events_reason);
	selfmon_json_text(json, "read_reason", report->read_reason);
	selfmon_json_text(json, "slow_path", report->slow_path);
	selfmon_json_integer(json, "read_ns", report->read_ns);
	selfmon_json_integer(json, "every", report->every);
	selfmon_json_boolean(json, "fence", report->fence);
	selfmon_json_boolean(json, "strict", report->strict);
	selfmon_json_boolean(json, "guard", report->guard);
	selfmon_json_boolean(json, "guard_gone", report->guard_gone);
	selfmon_json_integer(json, "taken", report->taken);
	selfmon_json_integer(json, "threads", report->threads);
	selfmon_json_integer(json, "threads_at_once", report->threads_at_once);
	put_limited(json, report);
	selfmon_json_integer(json, "refused", report->refused);
	selfmon_json_integer(json, "too_deep", report->too_deep);
	selfmon_json_integer(json, "unready", report->unready);
	selfmon_json_integer(json, "displaced", report->displaced);
	selfmon_json_integer(json, "stale", report->stale);
	selfmon_json_integer(json, "torn", report->torn);
	selfmon_json_integer(json, "unread", report->unread);
	selfmon_json_real(json, "total_ns", report->total_ns);
}

static void reals(struct selfmon_json *json, const char *name,
		  const double *value, size_t values)
{
	size_t i;

	selfmon_json_key(json, name);
	putc('[', json->stream);
	for (i = 0; i < values; i++) {
		fputs(i ? ", " : "", json->stream);
		selfmon_json_put_real(json->stream, value[i]);
	}
	putc(']', json->stream);
}

static void put_calibration(struct selfmon_json *outer,
			    const struct selfmon_report *report)
{
	struct selfmon_json json = { outer->stream, "", true };

	if (!report->calibrated) {
		selfmon_json_null(outer, "calibration");
		return;
	}
	selfmon_json_key(outer, "calibration");
	putc('{', json.stream);
	selfmon_json_real(&json, "inner_ns", report->inner_ns);
	selfmon_json_real(&json, "inner_ns_spread", report->inner_ns_spread);
	selfmon_json_real(&json, "outer_ns", report->outer_ns);
	selfmon_json_real(&json, "outer_ns_spread", report->outer_ns_spread);
	reals(&json, "inner", report->inner, report->columns);
	reals(&json, "outer", report->outer, report->columns);
	putc('}', json.stream);
}

static void processes(struct selfmon_json *outer,
		      const struct selfmon_report *report)
{
	size_t i;

	selfmon_json_key(outer, "processes");
	putc('[', outer->stream);
	for (i = 0; i < report->processes; i++) {
		const struct selfmon_report_process *of = &report->process[i];
		struct selfmon_json json = { outer->stream, "", true };

		fputs(i ? ",\n    {" : "\n    {", json.stream);
		selfmon_json_text(&json, "file", of->file);
		selfmon_json_text(&json, "program", of->program);
		selfmon_json_signed(&json, "pid", of->pid);
		selfmon_json_boolean(&json, "forked", of->forked);
		selfmon_json_boolean(&json, "calibrated", of->calibrated);
		selfmon_json_real(&json, "inner_ns", of->inner_ns);
		selfmon_json_text(&json, "when", of->when);
		selfmon_json_real(&json, "elapsed_ns", of->elapsed_ns);
		selfmon_json_text(&json, "clock", of->clock);
		selfmon_json_integer(&json, "clock_hz", of->clock_hz);
		selfmon_json_integer(&json, "clock_error_ppm",
				     of->clock_error_ppm);
		putc('}', json.stream);
	}
	fputs(i ? "\n  ]" : "]", outer->stream);
}

static void columns(struct selfmon_json *outer,
		    const struct selfmon_report *report)
{
	size_t i;

	selfmon_json_key(outer, "columns");
	putc('[', outer->stream);
	for (i = 0; i < report->columns; i++) {
		const struct selfmon_report_column *column = &report->column[i];
		struct selfmon_json json = { outer->stream, "", true };

		fputs(i ? ",\n    {" : "\n    {", json.stream);
		selfmon_json_text(&json, "name", column->name);
		selfmon_json_text(&json, "verdict",
				  selfmon_verdict_name(column->verdict));
		selfmon_json_boolean(&json, "kernel", column->kernel);
		selfmon_json_integer(&json, "group", column->group);
		selfmon_json_text(&json, "reason", column->reason);
		selfmon_json_integer(&json, "without", column->without);
		putc('}', json.stream);
	}
	fputs(i ? "\n  ]" : "]", outer->stream);
}

static void errata(struct selfmon_json *outer,
		   const struct selfmon_report *report)
{
	char names[SELFMON_TEXT_MAX];
	size_t i;

	selfmon_json_key(outer, "errata");
	putc('[', outer->stream);
	for (i = 0; i < report->errata; i++) {
		const struct selfmon_erratum *erratum = report->erratum[i];
		struct selfmon_json json = { outer->stream, "", true };

		fputs(i ? ",\n    {" : "\n    {", json.stream);
		selfmon_erratum_columns(report, erratum, names, sizeof(names));
		selfmon_json_text(&json, "name", erratum->name);
		selfmon_json_text(&json, "events", names);
		selfmon_json_text(&json, "text", erratum->text);
		selfmon_json_text(&json, "source", erratum->source);
		putc('}', json.stream);
	}
	fputs(i ? "\n  ]" : "]", outer->stream);
}

static void quantity_values(struct selfmon_json *json,
			    const struct selfmon_quantity *quantity,
			    bool exclusive)
{
	selfmon_json_integer(json, "sum", quantity->sum);
	selfmon_json_integer(json, "min", quantity->min);
	selfmon_json_integer(json, "max", quantity->max);
	selfmon_json_real(json, "net", quantity->net);
	selfmon_json_real(json, "noise", quantity->noise);
	selfmon_json_real(json, "share_on_pmu", quantity->share_on_pmu);
	selfmon_json_real(json, "guessed", quantity->guessed);
	if (exclusive) {
		selfmon_json_signed(json, "exclusive", quantity->exclusive);
		selfmon_json_real(json, "net_exclusive",
				  quantity->net_exclusive);
	} else {
		selfmon_json_null(json, "exclusive");
		selfmon_json_null(json, "net_exclusive");
	}
}

/* Without its closing brace. */
static void quantity(struct selfmon_json *json, const struct selfmon_row *row,
		     const struct selfmon_quantity *of)
{
	static const char *const name[] = {
		"sum",		"min",	   "max",	"net",		"noise",
		"share_on_pmu", "guessed", "exclusive", "net_exclusive"
	};
	size_t i;

	putc('{', json->stream);
	selfmon_json_text(json, "verdict", selfmon_verdict_name(of->verdict));
	selfmon_json_integer(json, "visits", of->visits);
	if (of->verdict != SELFMON_NOT_COUNTED) {
		quantity_values(json, of, row->exclusive_valid);
		return;
	}
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		selfmon_json_null(json, name[i]);
}

/* Pairs of ns and visits; null where they are not known. */
static void histogram(struct selfmon_json *json,
		      const struct selfmon_row_detail *of)
{
	size_t i;

	if (!of || !of->bucket) {
		selfmon_json_null(json, "histogram");
		return;
	}
	selfmon_json_key(json, "histogram");
	putc('[', json->stream);
	for (i = 0; i < of->buckets; i++) {
		fputs(i ? ", " : "", json->stream);
		selfmon_json_pair(json->stream, of->bucket[i].ns,
				  of->bucket[i].visits);
	}
	putc(']', json->stream);
}

static void scaled(struct selfmon_json *json, enum selfmon_verdict verdict,
		   const struct selfmon_row_detail *of, size_t column)
{
	if (!of || verdict != SELFMON_SCALED || !of->enabled_ns[column]) {
		selfmon_json_null(json, "scaled_enabled_ns");
		selfmon_json_null(json, "scaled_off_ns");
		return;
	}
	selfmon_json_integer(json, "scaled_enabled_ns", of->enabled_ns[column]);
	selfmon_json_integer(json, "scaled_off_ns", of->off_ns[column]);
}

static void row_time(struct selfmon_json *outer, const struct selfmon_row *row,
		     const struct selfmon_row_detail *detail)
{
	struct selfmon_json json = { outer->stream, "", true };

	selfmon_json_key(outer, "time_ns");
	quantity(&json, row, &row->time);
	if (row->time.verdict != SELFMON_NOT_COUNTED) {
		selfmon_json_integer(&json, "p50", row->p50_ns);
		selfmon_json_integer(&json, "p90", row->p90_ns);
		selfmon_json_integer(&json, "p99", row->p99_ns);
		selfmon_json_integer(&json, "shortest", row->min_ns);
		selfmon_json_integer(&json, "longest", row->max_ns);
		selfmon_json_integer(&json, "unsure", row->unsure);
		selfmon_json_real(&json, "whole", row->whole_ns);
		histogram(&json, detail);
	} else {
		selfmon_json_null(&json, "p50");
		selfmon_json_null(&json, "p90");
		selfmon_json_null(&json, "p99");
		selfmon_json_null(&json, "shortest");
		selfmon_json_null(&json, "longest");
		selfmon_json_null(&json, "unsure");
		selfmon_json_null(&json, "whole");
		selfmon_json_null(&json, "histogram");
	}
	putc('}', json.stream);
}

static void row_facts(struct selfmon_json *json, const struct selfmon_row *row)
{
	selfmon_json_integer(json, "threads", row->threads);
	selfmon_json_integer(json, "visits", row->visits);
	selfmon_json_integer(json, "measured", row->measured);
	selfmon_json_integer(json, "open", row->open);
	selfmon_json_integer(json, "cut_off", row->cut_off);
	selfmon_json_integer(json, "foreign", row->foreign);
	selfmon_json_integer(json, "migrated", row->migrated);
	selfmon_json_integer(json, "disturbed", row->disturbed);
	selfmon_json_integer(json, "retried", row->retried);
	selfmon_json_integer(json, "slow", row->slow);
	selfmon_json_integer(json, "repaired", row->repaired);
	selfmon_json_integer(json, "impossible", row->impossible);
	selfmon_json_integer(json, "refused", row->refused);
	selfmon_json_integer(json, "lost", row->lost);
	selfmon_json_integer(json, "overlapped", row->overlapped);
	selfmon_json_integer(json, "switched", row->switched);
	selfmon_json_boolean(json, "exclusive_valid", row->exclusive_valid);
	selfmon_json_integer(json, "whole", row->whole);
	selfmon_json_integer(json, "bytes", row->bytes);
	selfmon_json_integer(json, "items", row->items);
}

static void put_row(FILE *stream, const struct selfmon_report *report,
		    const struct selfmon_ratios *ratios, size_t i)
{
	const struct selfmon_row *row = &report->row[i];
	const struct selfmon_row_detail *detail =
		report->detail ? &report->detail[i] : NULL;
	struct selfmon_json json = { stream, "", true };
	size_t k;

	putc('{', stream);
	selfmon_json_integer(&json, "id", i);
	if (row->parent >= 0)
		selfmon_json_signed(&json, "parent", row->parent);
	else
		selfmon_json_null(&json, "parent");
	selfmon_json_integer(&json, "depth", row->depth);
	selfmon_json_text(&json, "name", row->name);
	selfmon_json_text(&json, "file", row->file);
	selfmon_json_integer(&json, "line", row->line);
	if (detail && detail->folded)
		selfmon_json_integer(&json, "folded", detail->folded);
	if (selfmon_row_is_thread(report, i))
		selfmon_json_integer(&json, "thread", detail->thread.tid);
	row_facts(&json, row);
	row_time(&json, row, detail);
	selfmon_json_key(&json, "counters");
	putc('[', stream);
	for (k = 0; k < report->columns; k++) {
		struct selfmon_json counter = { stream, "", true };

		fputs(k ? ", " : "", stream);
		quantity(&counter, row, &row->counter[k]);
		scaled(&counter, row->counter[k].verdict, detail, k);
		putc('}', stream);
	}
	putc(']', stream);
	selfmon_json_key(&json, "metrics");
	selfmon_json_row_metrics(stream, report, row, ratios);
	putc('}', stream);
}

void selfmon_report_json(const struct selfmon_report *report, FILE *stream)
{
	struct selfmon_json json = { stream, "\n  ", true };
	struct selfmon_ratios ratios;
	size_t i;

	selfmon_ratios_find(report, &ratios);
	putc('{', stream);
	selfmon_json_text(&json, "schema", "selfmon-report");
	selfmon_json_integer(&json, "version", SCHEMA_VERSION);
	selfmon_json_text(&json, "library", SELFMON_VERSION);
	header(&json, report);
	processes(&json, report);
	put_calibration(&json, report);
	columns(&json, report);
	errata(&json, report);
	selfmon_json_key(&json, "metrics");
	selfmon_json_metrics(stream, report, &ratios);
	selfmon_json_key(&json, "rows");
	putc('[', stream);
	for (i = 0; i < report->rows; i++) {
		fputs(i ? ",\n    " : "\n    ", stream);
		put_row(stream, report, &ratios, i);
	}
	fputs(i ? "\n  ]" : "]", stream);
	selfmon_json_key(&json, "notes");
	putc('[', stream);
	for (i = 0; i < report->notes; i++) {
		fputs(i ? ", " : "", stream);
		selfmon_put_json(stream, report->note[i]);
	}
	fputs("]\n}\n", stream);
}
