/* SPDX-License-Identifier: MIT */
/*
 * Writes the report as CSV (RFC 4180): a header line, then one line for each
 * row (a region or a thread) and for each detached span.
 */
#include "report/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "platform/escape.h"
#include "report/apart.h"
#include "report/metric.h"
#include "report/metric_write.h"
#include "report/model.h"
#include "report/number.h"
#include "report/number_exact.h"
#include "report/suspended.h"
#include "report/units.h"

#define END "\r\n"

/* State computed once for the whole report instead of for each line. */
struct fields {
	const struct selfmon_report *report;
	struct selfmon_ratios ratios;
	bool suspended;
	bool unit[SELFMON_MAX_UNITS]; /* counted by any row */
};

static const char *const facts =
	"path,name,depth,parent,file,line,threads,visits,measured,open,cut_off,"
	"migrated,disturbed,retried,slow,repaired,impossible,refused,"
	"lost,overlapped,switched,exclusive_valid,whole,bytes,items";

static const char *const of_quantity[] = {
	"verdict", "visits", "sum", "min", "max", "exclusive", "net",
	"net_exclusive", "noise", "share_on_pmu",
};

/*
 * Writes one name of a path. The path as a whole is in quotes already. A slash
 * in the name is escaped, too.
 */
static void put_in_path(FILE *stream, const char *name)
{
	struct selfmon_glyph unit;

	while (selfmon_glyph_next(SELFMON_FOR_CSV, &name, &unit)) {
		if (unit.text[0] == '/')
			putc('\\', stream);
		fwrite(unit.text, 1, unit.bytes, stream);
	}
}

/*
 * Returns the row's parent. A parent that does not come before the row is
 * invalid and ignored.
 */
static const struct selfmon_row *
parent_of(const struct selfmon_report *report, const struct selfmon_row *row)
{
	const struct selfmon_row *parent;

	if (row->parent < 0 || (size_t)row->parent >= report->rows)
		return NULL;
	parent = &report->row[row->parent];
	return parent < row ? parent : NULL;
}

static void put_path(FILE *stream, const struct selfmon_report *report,
		     const struct selfmon_row *row)
{
	const struct selfmon_row
		*up[SELFMON_DEPTH_MAX + SELFMON_DEPTH_SLACK + 1];
	size_t depth = 0;

	do {
		up[depth++] = row;
		row = parent_of(report, row);
	} while (row && depth <= SELFMON_DEPTH_MAX + SELFMON_DEPTH_SLACK);
	selfmon_output_csv_open(stream, up[depth - 1]->name);
	while (depth-- > 0) {
		put_in_path(stream, up[depth]->name);
		if (depth)
			putc('/', stream);
	}
	putc('"', stream);
}

static void put_real_field(FILE *stream, double value)
{
	char text[SELFMON_NUMBER_SIZE];

	selfmon_number_exact(text, value);
	fprintf(stream, ",%s", strcmp(text, "null") ? text : "");
}

static void put_quantity(FILE *stream, const struct selfmon_row *row,
			 const struct selfmon_quantity *of)
{
	fprintf(stream, ",%s,%" PRIu64, selfmon_verdict_name(of->verdict),
		of->visits);
	if (of->verdict == SELFMON_NOT_COUNTED) {
		fputs(",,,,,,,,", stream);
		return;
	}
	fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, of->sum, of->min,
		of->max);
	if (row->exclusive_valid)
		fprintf(stream, ",%" PRId64, of->exclusive);
	else
		putc(',', stream);
	put_real_field(stream, of->net);
	if (row->exclusive_valid)
		put_real_field(stream, of->net_exclusive);
	else
		putc(',', stream);
	put_real_field(stream, of->noise);
	put_real_field(stream, of->share_on_pmu);
}

static void put_facts(FILE *stream, const struct selfmon_row *row)
{
	const uint64_t fact[] = {
		row->line,      row->threads,    row->visits,
		row->measured,  row->open,       row->cut_off,
		row->migrated,  row->disturbed,
		row->retried,   row->slow,       row->repaired,
		row->impossible, row->refused,   row->lost,
		row->overlapped, row->switched, row->exclusive_valid,
		row->whole,     row->bytes,      row->items,
	};
	size_t i;

	for (i = 0; i < sizeof(fact) / sizeof(fact[0]); i++)
		fprintf(stream, ",%" PRIu64, fact[i]);
}

static void put_thread(FILE *stream, const struct selfmon_report *report,
		       const struct selfmon_report *of, size_t row)
{
	if (!selfmon_report_has_threads(report))
		return;
	putc(',', stream);
	if (selfmon_row_is_thread(of, row))
		fprintf(stream, "%" PRIu32, of->detail[row].thread.tid);
}

static void put_kind(FILE *stream, const struct selfmon_report *report,
		     const struct selfmon_report *of,
		     const struct selfmon_row *row)
{
	if (!report->async)
		return;
	if (of->spans)
		fprintf(stream, ",%s,%" PRIu64, row->frames ? "frame" : "span",
			row->elsewhere);
	else
		fputs(",region,", stream);
}

static void put_row_samples(FILE *stream, const struct selfmon_report *report,
			    const struct selfmon_row *row)
{
	if (report->samples)
		fprintf(stream, ",%" PRIu64 ",%" PRIu64, row->samples,
			row->samples_within);
}

static void put_off_cpu(FILE *stream, const struct selfmon_report *report,
			const struct selfmon_row *row)
{
	if (report->off_cpu)
		fprintf(stream,
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			row->blocked_ns, row->preempted_ns, row->switches,
			row->preemptions);
}

static void put_suspended(FILE *stream, const struct fields *fields,
			  const struct selfmon_row *row)
{
	if (fields->suspended)
		fprintf(stream, ",%" PRIu64 ",%" PRIu64, row->suspended,
			row->suspended_ns);
}

static const char *const of_unit[] = {
	"sum", "visits", "min", "max", "p50", "p90", "p99",
};

static void put_unit_names(FILE *stream, const struct fields *fields)
{
	const struct selfmon_report *const report = fields->report;
	size_t i, k;

	for (i = 0; i < report->units; i++)
		for (k = 0; fields->unit[i] &&
			    k < sizeof(of_unit) / sizeof(of_unit[0]);
		     k++)
			fprintf(stream, ",unit.%s.%s", report->unit[i],
				of_unit[k]);
}

static void put_unit_fields(FILE *stream, uint64_t sum,
			    const struct selfmon_row_unit *unit)
{
	fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, sum,
		unit->visits, unit->min, unit->max);
	put_real_field(stream, selfmon_row_unit_quantile(unit, 0.5));
	put_real_field(stream, selfmon_row_unit_quantile(unit, 0.9));
	put_real_field(stream, selfmon_row_unit_quantile(unit, 0.99));
}

/*
 * Writes the fields of a row for each unit. The fields are empty for rows that
 * counted nothing, and for spans.
 */
static void put_row_units(FILE *stream, const struct fields *fields,
			  const struct selfmon_report *of, size_t row)
{
	const struct selfmon_row_unit *unit;
	size_t i;

	for (i = 0; i < fields->report->units; i++) {
		if (!fields->unit[i])
			continue;
		unit = selfmon_row_unit(of, row, i);
		if (unit)
			put_unit_fields(stream, of->row[row].unit[i], unit);
		else
			fputs(",,,,,,,", stream);
	}
}

/*
 * Writes one line. `of` is the report that contains the row: for a span, the
 * report of the detached spans.
 */
static void put_line(FILE *stream, const struct fields *fields,
		     const struct selfmon_report *of,
		     const struct selfmon_row *row)
{
	const struct selfmon_report *const report = fields->report;
	size_t i;

	put_path(stream, of, row);
	putc(',', stream);
	selfmon_output_csv(stream, row->name);
	fprintf(stream, ",%" PRIu32 ",", row->depth);
	if (row->parent >= 0)
		fprintf(stream, "%" PRId32, row->parent);
	putc(',', stream);
	selfmon_output_csv(stream, row->file);
	put_facts(stream, row);
	put_kind(stream, report, of, row);
	put_suspended(stream, fields, row);
	put_off_cpu(stream, report, row);
	put_row_samples(stream, report, row);
	put_thread(stream, report, of, (size_t)(row - of->row));
	put_quantity(stream, row, &row->time);
	if (row->time.verdict == SELFMON_NOT_COUNTED)
		fputs(",,,", stream);
	else
		fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			row->p50_ns, row->p90_ns, row->p99_ns);
	put_real_field(stream, row->time.verdict == SELFMON_NOT_COUNTED
				       ? (double)NAN
				       : row->whole_ns);
	for (i = 0; i < report->columns; i++)
		put_quantity(stream, row, &row->counter[i]);
	selfmon_csv_row_metrics(stream, report, row, &fields->ratios);
	put_row_units(stream, fields, of, (size_t)(row - of->row));
	fputs(END, stream);
}

/*
 * Returns 1 for the first column with this event's name, 2 for the second.
 * Names of repeated events get a suffix such as "#2".
 */
static unsigned int occurrence(const struct selfmon_report *report, size_t i)
{
	unsigned int n = 1;
	size_t k;

	for (k = 0; k < i; k++)
		n += !strcmp(report->column[k].name, report->column[i].name);
	return n;
}

static void put_column(FILE *stream, const struct selfmon_report *report,
		       size_t i)
{
	const unsigned int n = occurrence(report, i);
	char name[SELFMON_EVENT_NAME_SIZE + 32];
	size_t k;

	for (k = 0; k < sizeof(of_quantity) / sizeof(of_quantity[0]); k++) {
		if (n > 1)
			snprintf(name, sizeof(name), "%s#%u.%s",
				 report->column[i].name, n, of_quantity[k]);
		else
			snprintf(name, sizeof(name), "%s.%s",
				 report->column[i].name, of_quantity[k]);
		putc(',', stream);
		selfmon_output_csv(stream, name);
	}
}

static void find_fields(const struct selfmon_report *report,
			struct fields *fields)
{
	size_t i;

	fields->report = report;
	selfmon_ratios_find(report, &fields->ratios);
	fields->suspended = selfmon_report_suspended(report);
	for (i = 0; i < report->units; i++)
		fields->unit[i] = selfmon_unit_is_used(report, i);
}

void selfmon_report_csv(const struct selfmon_report *report, FILE *stream)
{
	struct fields fields;
	size_t i;

	find_fields(report, &fields);
	fputs(facts, stream);
	if (report->async)
		fputs(",kind,elsewhere", stream);
	if (fields.suspended)
		fputs(",suspended,suspended_ns", stream);
	if (report->off_cpu)
		fputs(",blocked_ns,preempted_ns,switches,preemptions", stream);
	if (report->samples)
		fputs(",samples,samples_within", stream);
	if (selfmon_report_has_threads(report))
		fputs(",thread", stream);
	for (i = 0; i < sizeof(of_quantity) / sizeof(of_quantity[0]); i++)
		fprintf(stream, ",time_ns.%s", of_quantity[i]);
	fputs(",time_ns.p50,time_ns.p90,time_ns.p99,time_ns.whole", stream);
	for (i = 0; i < report->columns; i++)
		put_column(stream, report, i);
	selfmon_csv_metrics(stream, report, &fields.ratios);
	put_unit_names(stream, &fields);
	fputs(END, stream);
	for (i = 0; i < report->rows; i++)
		put_line(stream, &fields, report, &report->row[i]);
	for (i = 0; report->async && i < report->async->rows; i++)
		put_line(stream, &fields, report->async,
			 &report->async->row[i]);
}
