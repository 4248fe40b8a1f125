/* SPDX-License-Identifier: MIT */
/*
 * The table of units: a line for each unit that a region counted, with the
 * distribution over its visits.
 */
#include "report/text_units.h"

#include "report/text_cell.h"
#include "report/text_label.h"
#include "report/text_line.h"
#include "report/units.h"

#define NAME 12
#define VALUE 8
/* Means below this value are printed with decimals. */
#define SMALL 999.5

static const char *const heading[] = { "visits", "sum", "mean", "p50",
				       "p90",	 "p99", "min",	"max" };
#define VALUES (sizeof(heading) / sizeof(heading[0]))

_Static_assert(SELFMON_LABEL_COLUMNS + 1 + NAME + VALUES * (VALUE + 1) <=
		       SELFMON_TABLE_COLUMNS + 1,
	       "the table of units is no wider than the others");

size_t selfmon_text_unit_tables(const struct selfmon_report *report,
				const struct selfmon_shown *shown)
{
	size_t tables = 0, i;

	for (i = 0; shown->units && i < report->units; i++)
		tables += selfmon_unit_is_used(report, i);
	return tables;
}

static void put_unit_name(struct selfmon_text *text, const char *name)
{
	struct selfmon_cell cell = { .bytes = 0 };

	selfmon_cell_add(&cell, name, NAME);
	text->pending++;
	selfmon_text_left(text, &cell, NAME);
}

static void put_unit_head(struct selfmon_text *text)
{
	struct selfmon_cell region = { .bytes = 0 };
	size_t i;

	fputs("\nUnits counted by visits\n\n", text->stream);
	selfmon_cell_add(&region, "region", 6);
	selfmon_text_left(text, &region, text->label_columns);
	put_unit_name(text, "unit");
	for (i = 0; i < VALUES; i++)
		selfmon_text_right(text, heading[i], VALUE + 1);
	selfmon_text_row_end(text);
}

static void put_unit_value(struct selfmon_text *text, double value,
			   bool fraction)
{
	char number[SELFMON_NUMBER_SIZE];

	if (fraction && value < SMALL)
		selfmon_number_ratio(number, value);
	else
		selfmon_number_count(number, value);
	selfmon_text_right(text, number, VALUE + 1);
}

/*
 * Prints the distribution over visits. Prints nothing for a single visit, whose
 * count is the sum.
 */
static void put_distribution(struct selfmon_text *text, uint64_t sum,
			     const struct selfmon_row_unit *unit)
{
	if (unit->visits == 1)
		return;
	put_unit_value(text, (double)sum / (double)unit->visits, true);
	put_unit_value(text, selfmon_row_unit_quantile(unit, 0.5), false);
	put_unit_value(text, selfmon_row_unit_quantile(unit, 0.9), false);
	put_unit_value(text, selfmon_row_unit_quantile(unit, 0.99), false);
	put_unit_value(text, (double)unit->min, false);
	put_unit_value(text, (double)unit->max, false);
}

static void put_unit_row(struct selfmon_text *text, size_t row, size_t i,
			 const struct selfmon_row_unit *unit)
{
	const uint64_t sum = text->report->row[row].unit[i];

	selfmon_label_put(text, row);
	put_unit_name(text, text->report->unit[i]);
	put_unit_value(text, (double)unit->visits, false);
	put_unit_value(text, (double)sum, false);
	put_distribution(text, sum, unit);
	selfmon_text_row_end(text);
}

void selfmon_text_units(struct selfmon_text *text)
{
	const struct selfmon_report *const report = text->report;
	const struct selfmon_row_unit *unit;
	bool any = false;
	size_t row, i;

	if (!text->viewed->shown.units)
		return;
	for (row = 0; row < report->rows; row++) {
		for (i = 0; i < report->units; i++) {
			unit = selfmon_row_unit(report, row, i);
			if (!unit)
				continue;
			if (!any)
				put_unit_head(text);
			any = true;
			put_unit_row(text, row, i, unit);
		}
	}
}
