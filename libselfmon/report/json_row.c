/* SPDX-License-Identifier: MIT */
#include "report/json_row.h"

#include "report/apart.h"
#include "report/json_put.h"
#include "report/metric.h"
#include "report/metric_write.h"
#include "report/model.h"
#include "report/units.h"

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

/* Leaves the object open, since the caller adds more members. */
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

static void histogram(struct selfmon_json *json,
		      const struct selfmon_row_bucket *bucket, size_t buckets)
{
	size_t i;

	if (!bucket) {
		selfmon_json_null(json, "histogram");
		return;
	}
	selfmon_json_key(json, "histogram");
	putc('[', json->stream);
	for (i = 0; i < buckets; i++) {
		fputs(i ? ", " : "", json->stream);
		selfmon_json_pair(json->stream, bucket[i].ns, bucket[i].visits);
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
		histogram(&json, detail ? detail->bucket : NULL,
			  detail ? detail->buckets : 0);
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

static void row_facts(struct selfmon_json *json, const struct selfmon_row *row,
		      bool off_cpu)
{
	selfmon_json_integer(json, "threads", row->threads);
	selfmon_json_integer(json, "visits", row->visits);
	selfmon_json_integer(json, "measured", row->measured);
	selfmon_json_integer(json, "open", row->open);
	selfmon_json_integer(json, "cut_off", row->cut_off);
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
	if (row->suspended) {
		selfmon_json_integer(json, "suspended", row->suspended);
		selfmon_json_integer(json, "suspended_ns", row->suspended_ns);
	}
	if (off_cpu) {
		selfmon_json_integer(json, "blocked_ns", row->blocked_ns);
		selfmon_json_integer(json, "preempted_ns", row->preempted_ns);
		selfmon_json_integer(json, "switches", row->switches);
		selfmon_json_integer(json, "preemptions", row->preemptions);
	}
}

static void row_unit(struct selfmon_json *json, const char *name, uint64_t sum,
		     const struct selfmon_row_unit *unit)
{
	selfmon_json_text(json, "unit", name);
	selfmon_json_integer(json, "sum", sum);
	selfmon_json_integer(json, "visits", unit->visits);
	selfmon_json_real(json, "mean", (double)sum / (double)unit->visits);
	selfmon_json_integer(json, "min", unit->min);
	selfmon_json_integer(json, "max", unit->max);
	selfmon_json_real(json, "p50", selfmon_row_unit_quantile(unit, 0.5));
	selfmon_json_real(json, "p90", selfmon_row_unit_quantile(unit, 0.9));
	selfmon_json_real(json, "p99", selfmon_row_unit_quantile(unit, 0.99));
	histogram(json, unit->bucket, unit->buckets);
}

static void row_units(struct selfmon_json *outer,
		      const struct selfmon_report *report, size_t i)
{
	const struct selfmon_row_unit *unit;
	bool any = false;
	size_t k;

	for (k = 0; k < report->units; k++) {
		struct selfmon_json json = { outer->stream, "", true };

		unit = selfmon_row_unit(report, i, k);
		if (!unit)
			continue;
		if (!any)
			selfmon_json_key(outer, "units");
		fputs(any ? ", {" : "[{", json.stream);
		row_unit(&json, report->unit[k], report->row[i].unit[k], unit);
		putc('}', json.stream);
		any = true;
	}
	if (any)
		putc(']', outer->stream);
}

static void row_samples(struct selfmon_json *json, const struct selfmon_row *row)
{
	selfmon_json_integer(json, "samples", row->samples);
	selfmon_json_integer(json, "samples_within", row->samples_within);
}

void selfmon_json_row(FILE *stream, const struct selfmon_report *report,
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
	row_facts(&json, row, report->off_cpu);
	if (report->samples)
		row_samples(&json, row);
	if (report->spans) {
		selfmon_json_integer(&json, "elsewhere", row->elsewhere);
		selfmon_json_integer(&json, "frames", row->frames);
	}
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
	row_units(&json, report, i);
	selfmon_json_key(&json, "metrics");
	selfmon_json_row_metrics(stream, report, row, ratios);
	putc('}', stream);
}
