/* SPDX-License-Identifier: MIT */
/*
 * Writes folded stacks: `parent;child 1234`. Times and counters are self
 * values, so that programs which read this format compute correct sums.
 */
#include "report_folded.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "platform/escape.h"
#include "report/model.h"
#include "tool.h"

/* Values other than counter columns, whose numbers start at 0. */
enum { BY_TIME = -1, BY_VISITS = -2, BY_NONE = -3 };

static int find(const struct selfmon_report *report, const char *by)
{
	size_t i;

	if (!strcmp(by, "time"))
		return BY_TIME;
	if (!strcmp(by, "visits"))
		return BY_VISITS;
	for (i = 0; i < report->columns; i++)
		if (!strcmp(report->column[i].name, by) &&
		    report->column[i].verdict != SELFMON_NOT_COUNTED)
			return (int)i;
	return BY_NONE;
}

static int misused(const struct selfmon_report *report, const char *by)
{
	const char *names[SELFMON_MAX_COUNTERS + 4] = { "time", "visits" };
	char hint[TOOL_HINT_SIZE];
	size_t i, count = 2;

	for (i = 0; i < report->columns; i++)
		if (report->column[i].verdict != SELFMON_NOT_COUNTED)
			names[count++] = report->column[i].name;
	names[count] = report->samples ? "samples" : NULL;
	names[count + 1] = NULL;
	return tool_misused("report", "--by %s: this report has no such column"
			    "%s; it has time, visits%s and %zu counters", by,
			    tool_hint(by, names, hint),
			    report->samples ? ", samples" : "", count - 2);
}

/* Returns the row's value minus those of its children, at least 0. */
static double self_of(const struct selfmon_report *report, size_t i, int by)
{
	const struct selfmon_row *const row = &report->row[i];
	const struct selfmon_quantity *const quantity =
		by == BY_TIME ? &row->time : &row->counter[by];
	double self = quantity->net;
	size_t k;

	if (quantity->verdict == SELFMON_NOT_COUNTED)
		return 0;
	if (row->exclusive_valid)
		return fmax(quantity->net_exclusive, 0);
	for (k = i + 1; k < report->rows && report->row[k].depth > row->depth;
	     k++)
		if (report->row[k].parent == (int32_t)i)
			self -= by == BY_TIME ? report->row[k].time.net
					      : report->row[k].counter[by].net;
	return fmax(self, 0);
}

/*
 * Writes a name. A semicolon would end the frame, so it becomes a colon. Spaces
 * may stay, because only the last space of a line ends the stack.
 */
void report_folded_name(const char *name, FILE *to)
{
	struct selfmon_glyph unit;

	while (selfmon_glyph_next(SELFMON_FOR_TEXT, &name, &unit))
		if (unit.text[0] == ';')
			putc(':', to);
		else
			fwrite(unit.text, 1, unit.bytes, to);
}

void report_folded_path(const struct selfmon_report *report, size_t i,
			FILE *to)
{
	const struct selfmon_row *const row = &report->row[i];

	if (row->parent >= 0) {
		report_folded_path(report, (size_t)row->parent, to);
		putc(';', to);
	}
	report_folded_name(row->name, to);
}

int report_folded(const struct selfmon_report *report, const char *by,
		  FILE *to)
{
	const int column = find(report, by);
	size_t i;

	if (column == BY_NONE)
		return misused(report, by);
	for (i = 0; i < report->rows; i++) {
		const uint64_t value =
			column == BY_VISITS
				? report->row[i].visits
				: (uint64_t)llround(self_of(report, i, column));

		if (!value)
			continue;
		report_folded_path(report, i, to);
		fprintf(to, " %" PRIu64 "\n", value);
	}
	return 0;
}
