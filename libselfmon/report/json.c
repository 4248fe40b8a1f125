/* SPDX-License-Identifier: MIT */
/* Writes the report as one JSON object; docs/REPORT.md describes the schema. */
#include "report/json.h"

#include <selfmon/version.h>

#include "platform/escape.h"
#include "report/errata.h"
#include "report/json_put.h"
#include "report/json_row.h"
#include "report/json_samples.h"
#include "report/json_slowest.h"
#include "report/metric.h"
#include "report/metric_write.h"
#include "report/model.h"
#include "store/process.h"

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
		[SELFMON_LIMITED_OFF_CPU] = { "no_off_cpu",
					      "no_off_cpu_reason" },
		[SELFMON_LIMITED_SAMPLES] = { "no_samples",
					      "no_samples_reason" },
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
	if (report->processes)
		selfmon_json_null(json, "start_ticks");
	else
		selfmon_json_integer(json, "start_ticks", report->start_ticks);
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
	selfmon_json_text(json, "counters_off", report->counters_off);
	selfmon_json_text(json, "read_reason", report->read_reason);
	selfmon_json_text(json, "slow_path", report->slow_path);
	selfmon_json_integer(json, "read_ns", report->read_ns);
	selfmon_json_integer(json, "every", report->every);
	selfmon_json_boolean(json, "fence", report->fence);
	selfmon_json_boolean(json, "strict", report->strict);
	selfmon_json_boolean(json, "off_cpu", report->off_cpu);
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
	selfmon_json_integer(json, "evicted", report->evicted);
	selfmon_json_integer(json, "uncounted", report->uncounted);
	selfmon_json_integer(json, "stale", report->stale);
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
		selfmon_json_text(&json, "since", of->since);
		selfmon_json_integer(&json, "start_ticks", of->start_ticks);
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

static void put_unit_list(struct selfmon_json *outer,
			  const struct selfmon_report *report)
{
	size_t i;

	selfmon_json_key(outer, "units");
	putc('[', outer->stream);
	for (i = 0; i < report->units; i++)
		fprintf(outer->stream, "%s\"%s\"", i ? ", " : "",
			report->unit[i]);
	putc(']', outer->stream);
}

static void put_rows(struct selfmon_json *json,
		     const struct selfmon_report *report, const char *indent,
		     const char *end)
{
	struct selfmon_ratios ratios;
	size_t i;

	selfmon_ratios_find(report, &ratios);
	selfmon_json_key(json, "metrics");
	selfmon_json_metrics(json->stream, report, &ratios);
	selfmon_json_key(json, "rows");
	putc('[', json->stream);
	for (i = 0; i < report->rows; i++) {
		fprintf(json->stream, "%s%s", i ? "," : "", indent);
		selfmon_json_row(json->stream, report, &ratios, i);
	}
	fputs(i ? end : "]", json->stream);
}

static void put_async(struct selfmon_json *outer,
		      const struct selfmon_report *async)
{
	struct selfmon_json json = { outer->stream, "\n    ", true };

	if (!async) {
		selfmon_json_null(outer, "async");
		return;
	}
	selfmon_json_key(outer, "async");
	putc('{', json.stream);
	put_rows(&json, async, "\n      ", "\n    ]");
	fputs("\n  }", json.stream);
}

void selfmon_report_json(const struct selfmon_report *report, FILE *stream)
{
	struct selfmon_json json = { stream, "\n  ", true };
	size_t i;

	putc('{', stream);
	selfmon_json_text(&json, "schema", "selfmon-report");
	selfmon_json_integer(&json, "version", SCHEMA_VERSION);
	selfmon_json_text(&json, "library", SELFMON_VERSION);
	header(&json, report);
	processes(&json, report);
	put_calibration(&json, report);
	columns(&json, report);
	errata(&json, report);
	put_unit_list(&json, report);
	put_rows(&json, report, "\n    ", "\n  ]");
	put_async(&json, report->async);
	selfmon_json_samples(&json, report);
	selfmon_json_slowest(&json, report);
	selfmon_json_key(&json, "notes");
	putc('[', stream);
	for (i = 0; i < report->notes; i++) {
		fputs(i ? ", " : "", stream);
		selfmon_output_json(stream, report->note[i]);
	}
	fputs("]\n}\n", stream);
}
