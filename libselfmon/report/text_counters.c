/* SPDX-License-Identifier: MIT */
/*
 * The tables of counters: net totals of each event, and behind those that
 * have a partner what they make together. As many columns as fit, then
 * another table.
 */
#include <ctype.h>
#include <string.h>

#include "report/text.h"

#define NUMBER 7
#define RATIO 5
#define HEADING 13   /* of one line of a heading, of two */
#define MARKS 2
#define FIELDS (2 * SELFMON_MAX_COUNTERS)

/* A column of a table: an event's total, or a ratio of two events. */
struct field {
	size_t value;    /* which event */
	double factor;   /* times this */
	int by;          /* -1: the total; else divided by this event */
	unsigned int columns; /* of the number; a space and marks besides */
	struct selfmon_cell heading[2];
};

/* ---- which event is which ------------------------------------------------- */

/* The event's name without "cpu/", "/" and modifiers; its length. */
static size_t core_of(const char **name)
{
	size_t length;

	if (!strncmp(*name, "cpu/", 4))
		*name += 4;
	length = strcspn(*name, ":/");
	return length;
}

static const char *modifiers_of(const char *name)
{
	name += core_of(&name);
	name += *name == '/';
	return name + (*name == ':');
}

static bool is_named(const char *name, const char *wanted)
{
	const size_t length = core_of(&name);

	return strlen(wanted) == length && !memcmp(name, wanted, length);
}

/* The first column of either name that counts what column i counts. */
static int find(const struct selfmon_report *report, size_t i,
		const char *name, const char *alias)
{
	const struct selfmon_report_column *own = &report->column[i];
	size_t k;

	for (k = 0; k < report->columns; k++) {
		const struct selfmon_report_column *other = &report->column[k];

		if ((is_named(other->name, name) ||
		     is_named(other->name, alias)) &&
		    other->kernel == own->kernel &&
		    other->verdict != SELFMON_NOT_COUNTED &&
		    !strcmp(modifiers_of(other->name), modifiers_of(own->name)))
			return (int)k;
	}
	return -1;
}

/* ---- fields --------------------------------------------------------------- */

/* In two lines if it is long: at a separator if that helps. */
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

static void add_ratio(struct field *field, size_t *fields, size_t value, int by,
		      const char *heading, double factor)
{
	struct field *new = &field[(*fields)++];

	*new = (struct field){ .value = value,
			       .by = by,
			       .factor = factor,
			       .columns = RATIO };
	selfmon_cell_add(&new->heading[1], heading, RATIO);
}

/* A miss rate, or if what was tried is not counted, per 1000 instructions. */
static void add_misses(const struct selfmon_report *report, struct field *field,
		       size_t *fields, size_t i, const char *name,
		       const char *alias)
{
	int by = find(report, i, name, alias);

	if (by >= 0) {
		add_ratio(field, fields, i, by, "miss%", 100);
		return;
	}
	by = find(report, i, "instructions", "instructions");
	if (by >= 0)
		add_ratio(field, fields, i, by, "MPKI", 1000);
}

static void add_derived(const struct selfmon_report *report,
			struct field *field, size_t *fields, size_t i)
{
	const char *const name = report->column[i].name;
	int by;

	if (report->column[i].verdict == SELFMON_NOT_COUNTED)
		return;
	if (is_named(name, "instructions")) {
		by = find(report, i, "cycles", "cpu-cycles");
		if (by >= 0)
			add_ratio(field, fields, i, by, "IPC", 1);
	} else if (is_named(name, "branch-misses")) {
		add_misses(report, field, fields, i, "branches",
			   "branch-instructions");
	} else if (is_named(name, "cache-misses")) {
		add_misses(report, field, fields, i, "cache-references",
			   "cache-references");
	}
}

static size_t make_fields(const struct selfmon_report *report,
			  struct field *field)
{
	size_t fields = 0, counted = 0, i;

	for (i = 0; i < report->columns; i++) {
		struct field *new = &field[fields++];

		*new = (struct field){ .value = i, .by = -1, .columns = NUMBER };
		set_heading(new, report->column[i].name);
		add_derived(report, field, &fields, i);
		counted += report->column[i].verdict != SELFMON_NOT_COUNTED;
	}
	return counted ? fields : 0;
}

/* ---- printing ------------------------------------------------------------- */

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
	selfmon_number_count(number, selfmon_value_net(value));
	selfmon_text_right(text, number, 1 + field->columns);
	selfmon_text_marks(text, marks, MARKS);
}

/* As sure as the less sure of the two. */
static void put_ratio(struct selfmon_text *text, const struct selfmon_row *row,
		      const struct field *field)
{
	const struct selfmon_quantity *value = &row->counter[field->value];
	const struct selfmon_quantity *by = &row->counter[field->by];
	const double below = selfmon_value_net(by);
	char number[SELFMON_NUMBER_SIZE];
	unsigned int marks;

	if (value->verdict == SELFMON_NOT_COUNTED ||
	    by->verdict == SELFMON_NOT_COUNTED || !(below > 0)) {
		put_dash(text, field->columns);
		return;
	}
	marks = selfmon_value_marks(text, row, (int)field->value) |
		selfmon_value_marks(text, row, field->by);
	selfmon_number_ratio(number, field->factor * selfmon_value_net(value) /
					     below);
	selfmon_text_right(text, number, 1 + field->columns);
	selfmon_text_marks(text, marks, MARKS);
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

static void put_table(struct selfmon_text *text, const struct field *field,
		      size_t fields)
{
	size_t i, k;

	put_headings(text, field, fields);
	for (i = 0; i < text->report->rows; i++) {
		selfmon_label_put(text, i);
		for (k = 0; k < fields; k++) {
			if (field[k].by < 0)
				put_total(text, &text->report->row[i],
					  &field[k]);
			else
				put_ratio(text, &text->report->row[i],
					  &field[k]);
		}
		selfmon_text_row_end(text);
	}
}

void selfmon_text_counters(struct selfmon_text *text)
{
	struct field field[FIELDS];
	const size_t fields = make_fields(text->report, field);
	size_t first = 0, next;

	while (first < fields) {
		unsigned int left = SELFMON_LINE_COLUMNS - text->label_columns;

		for (next = first; next < fields; next++) {
			const unsigned int columns =
				1 + field[next].columns + MARKS;

			if (columns > left)
				break;
			left -= columns;
		}
		put_table(text, &field[first], next - first);
		first = next;
	}
}
