/* SPDX-License-Identifier: MIT */
/*
 * Writes the samples of each region: a table with the tree of regions. Below
 * each region are its functions, each with its most frequent line.
 */
#include "report_samples.h"

#include <stdlib.h>
#include <string.h>

#include "hot.h"
#include "report/text.h"
#include "report/text_cell.h"
#include "report/text_label.h"
#include "report/text_line.h"
#include "report_samples_notes.h"
#include "symbols_name.h"
#include "tool.h"

#define NUMBER_COLUMNS 8
#define SHARE_COLUMNS 7
#define LABEL_LEAST 24
#define LABEL_MOST 44
#define LINE_GAP 2
/* Width of the columns of numbers: total, share, self, share of self. */
#define NUMBERS_COLUMNS (2 * NUMBER_COLUMNS + 2 * SHARE_COLUMNS + 4)

struct table {
	struct selfmon_text text;
	struct symbols *symbols;
	const struct selfmon_samples *samples;
	size_t top;
	unsigned int line_columns;
	/* Number of samples without a symbol, by index of the module + 1. */
	uint64_t *unknown;
	bool failed;
};

static void put_count(struct table *table, uint64_t count)
{
	char number[SELFMON_NUMBER_SIZE];

	selfmon_number_visits(number, count);
	selfmon_text_right(&table->text, number, NUMBER_COLUMNS + 1);
}

static void put_share(struct table *table, uint64_t part, uint64_t all)
{
	char number[SELFMON_NUMBER_SIZE];

	selfmon_number_share(number, all ? (double)part / (double)all : 0);
	selfmon_text_right(&table->text, number, SHARE_COLUMNS + 1);
}

/* ---- functions ----------------------------------------------------------- */

static const char *name_of(const struct table *table, const struct hot *hot)
{
	if (!hot->function)
		return "(no address)";
	if (hot->function->known)
		return hot->function->name;
	if (hot->function->module < 0)
		return "(code without a file)";
	return symbols_short_name(
		table->samples->module[hot->function->module].path);
}

/*
 * Writes the name of a function. A dash distinguishes functions from regions.
 */
static void put_name(struct table *table, const char *name, bool inlined,
		     uint32_t depth)
{
	const unsigned int most = table->text.label_columns;
	const unsigned int indent =
		depth * table->text.step > most / 2 ? most / 2
						    : depth * table->text.step;
	const char *const end = inlined ? ", inlined" : "";
	unsigned int room;
	struct selfmon_cell cell = { .bytes = 0 };
	char before[LABEL_MOST + 4], compact[256];

	snprintf(before, sizeof(before), "%*s- ", (int)indent + 2, "");
	selfmon_cell_add(&cell, before, most);
	room = most - cell.columns - (unsigned int)strlen(end);
	if (selfmon_columns_of(name) > room) {
		symbols_compact(name, compact, sizeof(compact));
		name = compact;
	}
	selfmon_cell_add(&cell, name, room);
	selfmon_cell_add(&cell, end, (unsigned int)strlen(end));
	selfmon_text_left(&table->text, &cell, most);
}

/*
 * Writes the most frequent line. If this line is unknown, writes the module of
 * the function, or the address of unknown code.
 */
static void put_line(struct table *table, const struct hot *hot)
{
	const struct symbol_function *const function = hot->function;
	const char *name = function ? function->name : "";
	struct selfmon_cell cell = { .bytes = 0 };
	char line[16] = "";

	if (*hot->file) {
		name = symbols_short_name(hot->file);
		if (hot->line)
			snprintf(line, sizeof(line), ":%lu",
				 (unsigned long)hot->line);
	} else if (function && function->known) {
		name = function->module < 0
			       ? "made at run time"
			       : symbols_short_name(
					 table->samples
						 ->module[function->module]
						 .path);
	}
	table->text.pending += LINE_GAP;
	selfmon_cell_add(&cell, name, table->line_columns -
				      (unsigned int)strlen(line));
	selfmon_cell_add(&cell, line, sizeof(line));
	selfmon_text_left(&table->text, &cell, 0);
}

static void put_function(struct table *table, const struct hot *hot,
			 uint32_t depth, uint64_t self)
{
	put_name(table, name_of(table, hot), hot->inlined, depth);
	table->text.pending += NUMBER_COLUMNS + SHARE_COLUMNS + 2;
	put_count(table, hot->count);
	put_share(table, hot->count, self);
	put_line(table, hot);
	selfmon_text_row_end(&table->text);
}

static void put_rest(struct table *table, const char *name, uint64_t count,
		     uint32_t depth, uint64_t self)
{
	if (!count)
		return;
	put_name(table, name, false, depth);
	table->text.pending += NUMBER_COLUMNS + SHARE_COLUMNS + 2;
	put_count(table, count);
	put_share(table, count, self);
	selfmon_text_row_end(&table->text);
}

static void count_unknown(struct table *table, const struct hot *hot)
{
	if (hot->function && !hot->function->known)
		table->unknown[hot->function->module + 1] += hot->count;
}

static void put_functions(struct table *table,
			  const struct selfmon_sampled_stack *stack,
			  size_t stacks, uint32_t depth, uint64_t self)
{
	struct hot *list;
	const size_t count = hot_list(table->symbols, stack, stacks, &list);
	size_t shown = table->top && table->top < count ? table->top : count;
	uint64_t stored = 0, rest = 0;
	char name[48];
	size_t i;

	if (!list) {
		table->failed = true;
		return;
	}
	/*
	 * If only one function is left, shows it: a line "1 more" would be as
	 * long.
	 */
	shown += shown + 1 == count;
	for (i = 0; i < count; i++) {
		count_unknown(table, &list[i]);
		stored += list[i].count;
		if (i < shown)
			put_function(table, &list[i], depth, self);
		else
			rest += list[i].count;
	}
	snprintf(name, sizeof(name), "%zu more functions", count - shown);
	put_rest(table, name, rest, depth, self);
	put_rest(table, "(no stack)", self > stored ? self - stored : 0,
		 depth, self);
	free(list);
}

/* ---- regions ------------------------------------------------------------- */

/*
 * Returns the stacks of a row, and advances *at to the stacks of the next row.
 * The caller passes the rows in ascending order, -1 (outside of regions) first.
 */
static const struct selfmon_sampled_stack *
stacks_of(const struct table *table, int32_t row, size_t *at, size_t *count)
{
	const struct selfmon_samples *const samples = table->samples;
	const size_t from = *at;

	while (*at < samples->stacks && samples->stack[*at].row == row)
		++*at;
	*count = *at - from;
	return samples->stack + from;
}

static void put_head(struct table *table)
{
	struct selfmon_text *const text = &table->text;

	fprintf(text->stream, "\n%-*s", (int)text->label_columns, "region");
	selfmon_text_right(text, "total", NUMBER_COLUMNS + 1);
	selfmon_text_right(text, "share", SHARE_COLUMNS + 1);
	selfmon_text_right(text, "self", NUMBER_COLUMNS + 1);
	selfmon_text_right(text, "share", SHARE_COLUMNS + 1);
	fputs("  hottest line", text->stream);
	selfmon_text_row_end(text);
}

static void put_region(struct table *table, uint64_t within, uint64_t self)
{
	put_count(table, within);
	put_share(table, within, table->samples->taken);
	put_count(table, self);
	selfmon_text_row_end(&table->text);
}

static void put_outside(struct table *table, size_t *at)
{
	const uint64_t outside = table->samples->outside;
	struct selfmon_cell cell = { .bytes = 0 };
	size_t count;
	const struct selfmon_sampled_stack *const stack =
		stacks_of(table, -1, at, &count);

	if (!outside)
		return;
	selfmon_cell_add(&cell, "(outside of regions)",
			 table->text.label_columns);
	selfmon_text_left(&table->text, &cell, table->text.label_columns);
	put_region(table, outside, outside);
	put_functions(table, stack, count, 0, outside);
}

static void put_regions(struct table *table)
{
	const struct selfmon_report *const report = table->text.report;
	size_t outside = 0, at = 0, count, i;

	stacks_of(table, -1, &at, &count); /* skip those outside of regions */
	for (i = 0; i < report->rows; i++) {
		const struct selfmon_row *const row = &report->row[i];
		const struct selfmon_sampled_stack *const stack =
			stacks_of(table, (int32_t)i, &at, &count);

		if (!row->samples_within && !row->samples)
			continue;
		selfmon_label_put(&table->text, i);
		put_region(table, row->samples_within, row->samples);
		if (row->samples)
			put_functions(table, stack, count, row->depth,
				      row->samples);
	}
	put_outside(table, &outside);
}

/*
 * Makes the column of names wide enough for the longest region or function,
 * within limits.
 */
static void set_widths(struct table *table)
{
	const struct selfmon_samples *const samples = table->samples;
	size_t widest = LABEL_LEAST, i;

	selfmon_label_prepare(&table->text);
	if (widest < table->text.label_columns)
		widest = table->text.label_columns;
	for (i = 0; i < samples->stacks && widest < LABEL_MOST; i++) {
		const struct selfmon_sampled_stack *const stack =
			&samples->stack[i];
		struct hot hot = { .function = NULL };
		const struct symbol_place *place;
		size_t columns = 6 + strlen(", inlined");

		if (!stack->depth)
			continue;
		place = symbols_find(table->symbols, stack, 0);
		if (!place->frames)
			continue;
		hot.function = place->frame[0].function;
		columns += selfmon_columns_of(name_of(table, &hot));
		if (stack->row >= 0)
			columns += table->text.step *
				   table->text.report->row[stack->row].depth;
		if (widest < columns)
			widest = columns;
	}
	if (widest > LABEL_MOST)
		widest = LABEL_MOST;
	table->text.label_columns = (unsigned int)widest;
	table->line_columns = SELFMON_LINE_COLUMNS - NUMBERS_COLUMNS -
			      LINE_GAP - (unsigned int)widest;
}

static void put_legend(struct selfmon_text *text)
{
	putc('\n', text->stream);
	selfmon_text_begin(text, "", 0);
	selfmon_text_say(text, "Total and its share (of all samples) include "
			 "the regions inside. Self excludes them. The share "
			 "of a function (-) is its share of the region's "
			 "self.");
	selfmon_text_end(text);
}

int report_samples(const struct selfmon_report *report, const char *path,
		   struct symbols *symbols, size_t top, FILE *to)
{
	struct table table = { .text = { .report = report, .stream = to },
			       .symbols = symbols,
			       .samples = report->samples,
			       .top = top };

	table.unknown = calloc(report->samples->modules + 1,
			       sizeof(*table.unknown));
	if (!table.unknown)
		return tool_fail("report", "%s: no memory", path);
	report_samples_head(&table.text);
	set_widths(&table);
	put_head(&table);
	put_regions(&table);
	put_legend(&table.text);
	report_samples_notes(&table.text, symbols, table.unknown);
	free(table.text.located);
	free(table.unknown);
	if (table.failed || symbols_failed(symbols))
		return tool_fail("report", "%s: no memory", path);
	return 0;
}
