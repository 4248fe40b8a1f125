/* SPDX-License-Identifier: MIT */
/*
 * Writes the tables of counters: the net total of each event, followed by the
 * event's main metric if it has one, then all other metrics. A table has as
 * many columns as fit; the others are in further tables.
 */
#include "report/text_counters.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/event_kind.h"
#include "report/metric.h"
#include "report/metric_name.h"
#include "report/metric_value.h"
#include "report/text.h"
#include "report/text_cell.h"
#include "report/text_label.h"
#include "report/text_line.h"
#include "report/text_metrics.h"
#include "report/text_value.h"

#define NUMBER 7
#define TIME 8
#define RATIO 5
#define RATIO_MOST 9999.5 /* largest ratio that fits into the column */
#define HEADING 13   /* width of each of a heading's two lines */
#define MARKS 2
#define FIELDS (SELFMON_MAX_COUNTERS + SELFMON_RATIOS_MAX)

/* A column of a table: an event's total, or a metric. */
struct field {
	size_t value;    /* index of the event */
	/* The metric, or NULL for an event's total. */
	const struct selfmon_ratio *ratio;
	/*
	 * Width of the number, without the space before it and the marks after
	 * it.
	 */
	unsigned int columns;
	bool time;            /* the event counts nanoseconds */
	struct selfmon_cell heading[2];
};

/* ---- fields -------------------------------------------------------------- */

/* Breaks a long name into two lines, at a separator if possible. */
static void set_heading(struct field *field, const char *name)
{
	const size_t length = strlen(name);
	char first[SELFMON_EVENT_NAME_SIZE];
	size_t split = 0, i;

	if (length > NUMBER + MARKS) {
		for (i = 1; i < length && i <= HEADING; i++)
			if (!isalnum((unsigned char)name[i - 1]) &&
			    (!split || length - i >= i))
				split = i;
		if ((!split || length - split > HEADING) && length > HEADING)
			split = HEADING;
	}
	memcpy(first, name, split);
	first[split] = '\0';
	selfmon_cell_add(&field->heading[0], first, HEADING);
	selfmon_cell_add(&field->heading[1], name + split, HEADING);
	for (i = 0; i < 2; i++)
		if (field->heading[i].columns > field->columns)
			field->columns = field->heading[i].columns;
}

static void add_ratio(const struct selfmon_report *report, struct field *field,
		      size_t *fields, const struct selfmon_ratio *ratio)
{
	struct field *new = &field[(*fields)++];
	char heading[2][SELFMON_HEADING_SIZE];
	size_t i;

	*new = (struct field){ .ratio = ratio,
			       .columns = ratio->beside ? RATIO : NUMBER };
	selfmon_ratio_heading(report, ratio, heading);
	for (i = 0; i < 2; i++) {
		selfmon_cell_add(&new->heading[i], heading[i], HEADING);
		if (new->heading[i].columns > new->columns)
			new->columns = new->heading[i].columns;
	}
}

static void make_total(struct field *field, const struct selfmon_report *report,
		       size_t column)
{
	const char *const name = report->column[column].name;
	struct selfmon_event_kind meaning;

	selfmon_event_kind_of(name, &meaning);
	*field = (struct field){ .value = column,
				 .time = selfmon_event_kind_is_time(&meaning) };
	field->columns = field->time ? TIME : NUMBER;
	set_heading(field, name);
}

/* Collects the events, each followed by its main metric. */
static size_t make_totals(const struct selfmon_report *report,
			  const struct selfmon_shown *shown,
			  const struct selfmon_ratios *ratios,
			  struct field *field)
{
	size_t fields = 0, counted = 0, i, k;

	for (i = 0; i < report->columns; i++) {
		if (shown->column[i])
			make_total(&field[fields++], report, i);
		counted += report->column[i].verdict != SELFMON_NOT_COUNTED;
		for (k = 0; k < ratios->count; k++)
			if (ratios->ratio[k].beside && shown->ratio[k] &&
			    ratios->ratio[k].column == (int)i)
				add_ratio(report, field, &fields,
					  &ratios->ratio[k]);
	}
	return counted ? fields : 0;
}

/* Collects all other metrics whose events were counted. */
static size_t make_others(const struct selfmon_report *report,
			  const struct selfmon_shown *shown,
			  const struct selfmon_ratios *ratios,
			  struct field *field)
{
	char reason[SELFMON_METRIC_REASON_SIZE];
	size_t fields = 0, i;

	for (i = 0; i < ratios->count; i++) {
		selfmon_ratio_missing(report, &ratios->ratio[i], reason);
		if (!ratios->ratio[i].beside && shown->ratio[i] && !reason[0])
			add_ratio(report, field, &fields, &ratios->ratio[i]);
	}
	return fields;
}

/* ---- printing ------------------------------------------------------------ */

static void put_dash(struct selfmon_text *text, unsigned int columns)
{
	selfmon_text_right(text, "-", 1 + columns);
	selfmon_text_marks(text, 0, MARKS);
}

static void put_total(struct selfmon_text *text, const struct selfmon_row *row,
		      const struct field *field)
{
	const struct selfmon_quantity *value = &row->counter[field->value];
	const unsigned int marks =
		selfmon_value_marks(text, row, (int)field->value);
	char number[SELFMON_NUMBER_SIZE];

	text->marks |= marks & SELFMON_MARK_DASH;
	if (value->verdict == SELFMON_NOT_COUNTED) {
		put_dash(text, field->columns);
		return;
	}
	if (field->time)
		selfmon_number_time(number, selfmon_value_net(value), 4);
	else
		selfmon_number_count(number, selfmon_value_net(value));
	selfmon_text_right(text, number, 1 + field->columns);
	selfmon_text_marks(text, marks, MARKS);
}

/*
 * Prints a dash for a missing value. text_metrics.c prints the reason, unless
 * an event was not counted.
 */
static void put_ratio(struct selfmon_text *text, const struct selfmon_row *row,
		      const struct field *field)
{
	const struct selfmon_ratio *ratio = field->ratio;
	struct selfmon_ratio_value value;
	char number[SELFMON_NUMBER_SIZE];

	selfmon_ratio_of(text->report, row, ratio, &value);
	if (value.absence != SELFMON_PRESENT) {
		if (value.absence == SELFMON_ABSENT_EVENT)
			text->marks |= SELFMON_MARK_DASH;
		put_dash(text, field->columns);
		return;
	}
	if (ratio->beside || value.value < RATIO_MOST)
		selfmon_number_ratio(number, value.value);
	else
		selfmon_number_count(number, value.value);
	selfmon_text_right(text, number, 1 + field->columns);
	selfmon_text_marks(text, selfmon_ratio_marks(text, row, ratio), MARKS);
}

static void put_headings(struct selfmon_text *text, const struct field *field,
			 size_t fields)
{
	bool two = false;
	unsigned int line;
	size_t i;

	for (i = 0; i < fields; i++)
		two = two || field[i].heading[0].columns > 0;
	putc('\n', text->stream);
	for (line = two ? 0 : 1; line < 2; line++) {
		struct selfmon_cell cell = { .bytes = 0 };

		selfmon_cell_add(&cell, line ? "region" : "", 6);
		selfmon_text_left(text, &cell, text->label_columns);
		for (i = 0; i < fields; i++) {
			const struct selfmon_cell *heading =
				&field[i].heading[line];

			text->pending += 1 + field[i].columns - heading->columns;
			if (heading->columns)
				selfmon_text_left(text, heading, 0);
			selfmon_text_marks(text, 0, MARKS);
		}
		selfmon_text_row_end(text);
	}
}

static bool has_values(const struct selfmon_text *text, size_t row,
		       const struct field *field, size_t fields)
{
	const struct selfmon_row *const of = &text->report->row[row];
	struct selfmon_ratio_value value;
	size_t i;

	for (i = 0; i < fields; i++) {
		if (!field[i].ratio) {
			if (of->counter[field[i].value].verdict !=
			    SELFMON_NOT_COUNTED)
				return true;
			continue;
		}
		selfmon_ratio_of(text->report, of, field[i].ratio, &value);
		if (value.absence == SELFMON_PRESENT)
			return true;
	}
	return false;
}

static void put_fields(struct selfmon_text *text, size_t row,
		       const struct field *field, size_t fields)
{
	size_t i;

	selfmon_label_put(text, row);
	for (i = 0; i < fields; i++) {
		if (field[i].ratio)
			put_ratio(text, &text->report->row[row], &field[i]);
		else
			put_total(text, &text->report->row[row], &field[i]);
	}
	selfmon_text_row_end(text);
}

static void put_table(struct selfmon_text *text, const struct field *field,
		      size_t fields)
{
	bool any = false;
	size_t i;

	for (i = 0; i < text->report->rows; i++) {
		if (!has_values(text, i, field, fields))
			continue;
		if (!any)
			put_headings(text, field, fields);
		any = true;
		put_fields(text, i, field, fields);
	}
}

/*
 * Returns how many of the fields fit into a table beside a label of this width.
 */
static size_t fitting(const struct field *field, size_t fields,
		      unsigned int label)
{
	unsigned int left = SELFMON_TABLE_COLUMNS - label;
	size_t i;

	for (i = 0; i < fields; i++) {
		const unsigned int columns = 1 + field[i].columns + MARKS;

		if (columns > left)
			break;
		left -= columns;
	}
	return i;
}

/* Prints the tables. If text is NULL, only counts them. */
static size_t put_tables(struct selfmon_text *text, unsigned int label,
			 const struct field *field, size_t fields)
{
	size_t tables = 0, n;

	for (; fields; field += n, fields -= n, tables++) {
		n = fitting(field, fields, label);
		if (text)
			put_table(text, field, n);
	}
	return tables;
}

static size_t for_all_tables(struct selfmon_text *text,
			     const struct selfmon_report *report,
			     const struct selfmon_shown *shown,
			     unsigned int label)
{
	struct field *const field = calloc(FIELDS, sizeof(*field));
	struct selfmon_ratios ratios;
	size_t tables;

	if (!field) {
		if (text)
			fputs("\nNo memory for the tables of counters.\n",
			      text->stream);
		return 1;
	}
	selfmon_ratios_find(report, &ratios);
	tables = put_tables(text, label, field,
			    make_totals(report, shown, &ratios, field));
	memset(field, 0, FIELDS * sizeof(*field));
	tables += put_tables(text, label, field,
			     make_others(report, shown, &ratios, field));
	free(field);
	return tables;
}

size_t selfmon_text_counter_tables(const struct selfmon_report *report,
				   const struct selfmon_shown *shown)
{
	return for_all_tables(NULL, report, shown, SELFMON_LABEL_COLUMNS);
}

void selfmon_text_counters(struct selfmon_text *text)
{
	for_all_tables(text, text->report, &text->viewed->shown,
		       text->label_columns);
}
