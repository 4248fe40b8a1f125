/* SPDX-License-Identifier: MIT */
/*
 * A region's label: its name, indented by its depth. In a row that is too deep,
 * the depth is written as a number before the name instead. If two regions with
 * the same parent have the same name, file and line are added.
 */
#include "report/text_label.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "report/text_cell.h"
#include "report/text_line.h"

#define INDENT_MAX 14
#define FILE_COLUMNS 16

static bool is_twin(const struct selfmon_row *a, const struct selfmon_row *b)
{
	return a->parent == b->parent && !strcmp(a->name, b->name);
}

static size_t hash_of_row(const struct selfmon_row *row)
{
	const char *s = row->name;
	uint64_t hash = (uint32_t)row->parent;

	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 32);
}

/*
 * Marks rows in text->located that have the same name and the same parent as
 * another row. If out of memory, all rows are shown with file and line.
 */
static void find_twins(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;
	size_t slots = 4, i, k;
	uint32_t *slot;

	while (slots < 2 * report->rows)
		slots *= 2;
	slot = calloc(slots, sizeof(*slot));
	text->located = slot ? calloc(report->rows, 1) : NULL;
	for (i = 0; text->located && i < report->rows; i++) {
		const struct selfmon_row *row = &report->row[i];

		k = hash_of_row(row) & (slots - 1);
		while (slot[k] && !is_twin(&report->row[slot[k] - 1], row))
			k = (k + 1) & (slots - 1);
		if (slot[k])
			text->located[i] = text->located[slot[k] - 1] = 1;
		else
			slot[k] = (uint32_t)i + 1;
	}
	free(slot);
}

/*
 * Sets *place to " (file.c:12)", or to "" if not needed, unknown, or too wide.
 */
static void place_of_row(const struct selfmon_text *text, size_t i,
			 struct selfmon_cell *place, unsigned int columns)
{
	const struct selfmon_row *row = &text->report->row[i];
	const char *slash = strrchr(row->file, '/');
	char line[16];
	unsigned int length;

	if (!row->file[0] || (text->located && !text->located[i]))
		return;
	length = (unsigned int)snprintf(line, sizeof(line), ":%u)",
					(unsigned int)row->line);
	if (columns < length + 4)
		return;
	columns -= length + 2;
	selfmon_cell_add(place, " (", 2);
	selfmon_cell_add(place, slash ? slash + 1 : row->file,
			 columns < FILE_COLUMNS ? columns : FILE_COLUMNS);
	selfmon_cell_add(place, line, length);
}

static unsigned int indent_of(const struct selfmon_text *text, uint32_t depth)
{
	return depth * (uint64_t)text->step > INDENT_MAX ? INDENT_MAX
							  : depth * text->step;
}

static void put_indent(const struct selfmon_text *text, uint32_t depth,
		       struct selfmon_cell *cell)
{
	char number[16], whole[32];

	if (depth * (uint64_t)text->step <= INDENT_MAX) {
		snprintf(whole, sizeof(whole), "%*s",
			 (int)indent_of(text, depth), "");
	} else {
		snprintf(number, sizeof(number), "[%u]", (unsigned int)depth);
		snprintf(whole, sizeof(whole), "%*s ", INDENT_MAX - 1, number);
	}
	selfmon_cell_add(cell, whole, INDENT_MAX);
}

/*
 * Indents each level by two columns if the deepest row then fits, otherwise by
 * one. Then makes all labels as wide as the widest one, but at least 12 and at
 * most SELFMON_LABEL_COLUMNS columns wide.
 */
void selfmon_label_prepare(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;
	uint32_t deepest = 0;
	size_t widest = 12, i;

	find_twins(text);
	for (i = 0; i < report->rows; i++)
		if (report->row[i].depth > deepest)
			deepest = report->row[i].depth;
	text->step = deepest * UINT64_C(2) <= INDENT_MAX ? 2 : 1;
	for (i = 0; i < report->rows; i++) {
		struct selfmon_cell place = { .bytes = 0 };
		size_t columns = indent_of(text, report->row[i].depth) +
				 selfmon_columns_of(report->row[i].name);

		place_of_row(text, i, &place, SELFMON_LABEL_COLUMNS);
		columns += place.columns;
		if (columns > widest)
			widest = columns;
	}
	text->label_columns = widest < SELFMON_LABEL_COLUMNS
				      ? (unsigned int)widest
				      : SELFMON_LABEL_COLUMNS;
}

void selfmon_label_put(struct selfmon_text *text, size_t i)
{
	const struct selfmon_row *row = &text->report->row[i];
	struct selfmon_cell label = { .bytes = 0 }, place = { .bytes = 0 };
	unsigned int room;

	put_indent(text, row->depth, &label);
	room = text->label_columns - label.columns;
	place_of_row(text, i, &place, room * 3 / 4);
	selfmon_cell_add(&label, row->name, room - place.columns);
	memcpy(label.text + label.bytes, place.text, place.bytes);
	label.bytes += place.bytes;
	label.columns += place.columns;
	selfmon_text_left(text, &label, text->label_columns);
}
