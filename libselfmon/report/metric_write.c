/* SPDX-License-Identifier: MIT */
#include "report/metric_write.h"

#include <stdio.h>
#include <string.h>

#include "platform/escape.h"
#include "report/metric.h"
#include "report/metric_name.h"
#include "report/metric_value.h"
#include "report/number.h"
#include "report/number_exact.h"

static void put_json(FILE *stream, const char *key, const char *value)
{
	putc('"', stream);
	fputs(key, stream);
	fputs("\": ", stream);
	selfmon_output_json(stream, value);
}

static void put_json_real(FILE *stream, const char *key, double value)
{
	char text[SELFMON_NUMBER_SIZE];

	selfmon_number_exact(text, value);
	fputs(", \"", stream);
	fputs(key, stream);
	fputs("\": ", stream);
	fputs(text, stream);
}

/*
 * Writes the list of metrics with their operands. Each row has their values in
 * the same order.
 */
void selfmon_json_metrics(FILE *stream, const struct selfmon_report *report,
			  const struct selfmon_ratios *ratios)
{
	char name[SELFMON_METRIC_NAME_SIZE];
	char operand[SELFMON_EVENT_NAME_SIZE];
	char reason[SELFMON_METRIC_REASON_SIZE];
	size_t i;

	putc('[', stream);
	for (i = 0; i < ratios->count; i++) {
		const struct selfmon_ratio *ratio = &ratios->ratio[i];

		fputs(i ? ",\n    {" : "\n    {", stream);
		selfmon_ratio_name(report, ratio, name);
		put_json(stream, "name", name);
		selfmon_ratio_operand(report, ratio, ratio->of, operand);
		fputs(", ", stream);
		put_json(stream, "of", operand);
		selfmon_ratio_operand(report, ratio, ratio->by, operand);
		fputs(", ", stream);
		put_json(stream, "by", operand);
		put_json_real(stream, "factor", ratio->factor);
		selfmon_ratio_missing(report, ratio, reason);
		fputs(", ", stream);
		put_json(stream, "reason", reason);
		putc('}', stream);
	}
	fputs(i ? "\n  ]" : "]", stream);
}

void selfmon_json_row_metrics(FILE *stream, const struct selfmon_report *report,
			      const struct selfmon_row *row,
			      const struct selfmon_ratios *ratios)
{
	struct selfmon_ratio_value value;
	size_t i;

	putc('[', stream);
	for (i = 0; i < ratios->count; i++) {
		fputs(i ? ", {" : "{", stream);
		selfmon_ratio_of(report, row, &ratios->ratio[i], &value);
		put_json(stream, "verdict", selfmon_verdict_name(value.verdict));
		/* NaN stands for a missing value, and is written as null */
		put_json_real(stream, "value", value.value);
		put_json_real(stream, "uncertainty", value.uncertainty);
		fputs(", ", stream);
		put_json(stream, "reason", value.reason);
		putc('}', stream);
	}
	putc(']', stream);
}

static const char *const of_metric[] = { "verdict", "value", "uncertainty",
					 "reason" };

void selfmon_csv_metrics(FILE *stream, const struct selfmon_report *report,
			 const struct selfmon_ratios *ratios)
{
	char name[SELFMON_METRIC_NAME_SIZE], text[sizeof(name) + 16];
	size_t i, k;

	for (i = 0; i < ratios->count; i++) {
		selfmon_ratio_name(report, &ratios->ratio[i], name);
		for (k = 0; k < sizeof(of_metric) / sizeof(of_metric[0]); k++) {
			snprintf(text, sizeof(text), "%s.%s", name,
				 of_metric[k]);
			putc(',', stream);
			selfmon_output_csv(stream, text);
		}
	}
}

static void put_csv_real(FILE *stream, double value)
{
	char text[SELFMON_NUMBER_SIZE];

	selfmon_number_exact(text, value);
	fprintf(stream, ",%s", strcmp(text, "null") ? text : "");
}

void selfmon_csv_row_metrics(FILE *stream, const struct selfmon_report *report,
			     const struct selfmon_row *row,
			     const struct selfmon_ratios *ratios)
{
	struct selfmon_ratio_value value;
	size_t i;

	for (i = 0; i < ratios->count; i++) {
		selfmon_ratio_of(report, row, &ratios->ratio[i], &value);
		fprintf(stream, ",%s", selfmon_verdict_name(value.verdict));
		put_csv_real(stream, value.value);
		put_csv_real(stream, value.uncertainty);
		putc(',', stream);
		selfmon_output_csv(stream, value.reason);
	}
}
