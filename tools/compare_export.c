/* SPDX-License-Identifier: MIT */
#include "compare_export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_judge.h"
#include "compare_words.h"
#include "platform/escape.h"
#include "report/number.h"
#include "report/number_exact.h"

static void put_number(FILE *to, const char *key, double value)
{
	char text[SELFMON_NUMBER_SIZE];

	selfmon_number_exact(text, value);
	fprintf(to, "\"%s\": %s", key, text);
}

static void put_string(FILE *to, const char *key, const char *value)
{
	fprintf(to, "\"%s\": ", key);
	selfmon_output_json(to, value);
}

/* ---- JSON ---------------------------------------------------------------- */

/* Writes a cell. If the interval has no upper bound, its upper end is null. */
static void put_cell(const struct compare_cell *cell, const char *name,
		     FILE *to)
{
	put_string(to, "column", name);
	fprintf(to, ", \"runs\": [%zu, %zu], ", cell->runs[0], cell->runs[1]);
	put_number(to, "a", cell->median[0]);
	fputs(", ", to);
	put_number(to, "b", cell->median[1]);
	fputs(", ", to);
	put_number(to, "ratio", cell->ratio.value);
	fputs(", ", to);
	put_number(to, "low", cell->ratio.low);
	fputs(", ", to);
	put_number(to, "high", cell->ratio.high);
	fprintf(to, ", \"estimated\": %s, ",
		cell->estimated ? "true" : "false");
	put_number(to, "p", cell->p);
}

static void put_path(const struct compare_region *region, FILE *to)
{
	char *const path = strdup(region->path + 1);
	char *part = path, *end;

	fputs("\"path\": [", to);
	while (part) {
		end = strchr(part, COMPARE_SEPARATOR);
		if (end)
			*end++ = '\0';
		selfmon_output_json(to, part);
		if (end)
			fputs(", ", to);
		part = end;
	}
	fputs("], ", to);
	free(path);
}

static void put_region(const struct compare *compare,
		       const struct compare_region *region, FILE *to)
{
	const char *between = "";
	size_t i;

	fputs("\n    {", to);
	put_path(region, to);
	put_string(to, "verdict", compare_verdict_name[region->verdict]);
	fputs(", ", to);
	put_number(to, "share", region->share);
	fputs(", ", to);
	put_number(to, "p_adjusted",
		   region->verdict < COMPARE_NO_TEST ? region->adjusted : NAN);
	fprintf(to, ", \"runs\": [%zu, %zu], \"cells\": [", region->runs[0],
		region->runs[1]);
	for (i = 0; i < COMPARE_COLUMNS; i++) {
		if (!compare->column[i] || !region->cell[i].there)
			continue;
		fprintf(to, "%s{", between);
		put_cell(&region->cell[i], compare->column[i], to);
		fputs("}", to);
		between = ", ";
	}
	fputs("]}", to);
}

static void put_files(const struct compare *compare, size_t side, FILE *to)
{
	const struct compare_side *const of = &compare->side[side];
	size_t i;

	fprintf(to, "  \"%c\": [", "ab"[side]);
	for (i = of->first; i < of->first + of->count; i++) {
		fputs(i > of->first ? ", " : "", to);
		selfmon_output_json(to, compare->file[i].path);
	}
	fputs("],\n", to);
}

void compare_json(const struct compare *compare, FILE *to)
{
	char conclusion[512];
	size_t i;

	fputs("{\n  \"schema\": \"selfmon-compare\",\n  \"version\": 1,\n", to);
	put_files(compare, 0, to);
	put_files(compare, 1, to);
	fputs("  ", to);
	put_string(to, "by", compare->column[compare->primary]);
	fputs(",\n  ", to);
	put_number(to, "gate", compare->gate);
	fputs(",\n  ", to);
	put_number(to, "least_share", compare->least_share);
	fprintf(to, ",\n  \"judged\": %zu,\n  \"runs_needed\": %zu,\n  ",
		compare->family, compare->needed);
	compare_conclude(compare, conclusion, sizeof(conclusion));
	put_string(to, "conclusion", conclusion);
	fputs(",\n  \"cautions\": [", to);
	for (i = 0; i < compare->marks; i++) {
		fputs(i ? ", " : "", to);
		selfmon_output_json(to, compare->mark[i]);
	}
	fputs("],\n  \"regions\": [", to);
	for (i = 0; i < compare->regions; i++) {
		fputs(i ? "," : "", to);
		put_region(compare, compare->region[i], to);
	}
	fputs("\n  ]\n}\n", to);
}

/* ---- Bencher ------------------------------------------------------------- */

/*
 * Writes a measure. Each judged region is a benchmark with one measure for each
 * column. The value is the median of B. The bounds are the ends of the interval
 * of B / A, multiplied by the median of A. They are widened if they do not
 * contain the value. There are no bounds if the interval has no upper end.
 */
static void put_measure(const struct compare_cell *cell, const char *name,
			FILE *to)
{
	selfmon_output_json(to, name);
	fputs(": {", to);
	put_number(to, "value", cell->median[1]);
	if (isfinite(cell->ratio.high)) {
		fputs(", ", to);
		put_number(to, "lower_value",
			   fmin(cell->median[1],
				cell->median[0] * cell->ratio.low));
		fputs(", ", to);
		put_number(to, "upper_value",
			   fmax(cell->median[1],
				cell->median[0] * cell->ratio.high));
	}
	fputs("}", to);
}

void compare_bencher(const struct compare *compare, FILE *to)
{
	size_t i, k;

	fputs("{", to);
	for (i = 0; i < compare->family; i++) {
		const struct compare_region *const region = compare->region[i];
		char *const label = compare_label(region);
		const char *between = "";

		fputs(i ? ",\n  " : "\n  ", to);
		selfmon_output_json(to, label ? label : region->name);
		free(label);
		fputs(": {", to);
		for (k = 0; k < COMPARE_COLUMNS; k++) {
			if (!compare->column[k] || !region->cell[k].there)
				continue;
			fputs(between, to);
			put_measure(&region->cell[k],
				    k == COMPARE_TIME ? "latency"
						      : compare->column[k],
				    to);
			between = ", ";
		}
		fputs("}", to);
	}
	fputs("\n}\n", to);
}
