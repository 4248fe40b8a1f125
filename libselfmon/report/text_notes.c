/* SPDX-License-Identifier: MIT */
#include "report/text_notes.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "report/apart.h"
#include "report/text.h"
#include "report/text_cell.h"
#include "report/text_header.h"
#include "report/text_line.h"
#include "report/text_metrics.h"

#define NOTES_MAX 30  /* maximum number of regions in the list */
#define NOTES_FEW 4   /* maximum if rows were folded */
#define NAME_COLUMNS 32

static void legend(struct selfmon_text *text, const char *sign,
		   const char *meaning)
{
	selfmon_text_begin(text, sign, 4);
	selfmon_text_say(text, "%s", meaning);
	selfmon_text_end(text);
}

static void legend_scaled(struct selfmon_text *text)
{
	char least[SELFMON_NUMBER_SIZE], most[SELFMON_NUMBER_SIZE];

	selfmon_number_share(least, text->share_least);
	selfmon_number_share(most, text->share_most);
	selfmon_text_begin(text, "  ~", 4);
	selfmon_text_say(text, "estimated: the events were on a counter for %s",
			 least);
	if (text->share_most > text->share_least)
		selfmon_text_say(text, " to %s", most);
	selfmon_text_say(text, " of the time");
	selfmon_text_end(text);
}

/* The lowest and the highest share of a column over all rows. */
struct share_range {
	double least, most;
};

struct coverage {
	struct share_range visits; /* with a value */
	struct share_range time;   /* on a counter */
};

static void extend(struct share_range *range, double value)
{
	if (value < range->least)
		range->least = value;
	if (value > range->most)
		range->most = value;
}

/*
 * Computes, as ranges over the rows, the share of visits with a value of the
 * column, and the share of time on a counter. Returns true if some row has
 * values for only a part of its visits.
 */
static bool cover(const struct selfmon_report *report, size_t column,
		  struct coverage *coverage)
{
	bool any = false;
	size_t i;

	coverage->visits = coverage->time = (struct share_range){ 1, 0 };
	for (i = 0; i < report->rows; i++) {
		const struct selfmon_row *const row = &report->row[i];
		const struct selfmon_quantity *const value =
			&row->counter[column];

		if (value->verdict == SELFMON_NOT_COUNTED || !row->measured)
			continue;
		extend(&coverage->visits,
		       (double)value->visits / (double)row->measured);
		extend(&coverage->time, value->share_on_pmu);
		any = any || value->visits < row->measured;
	}
	return any;
}

static void say_range(struct selfmon_text *text, const char *before,
		      const struct share_range *range)
{
	char least[SELFMON_NUMBER_SIZE], most[SELFMON_NUMBER_SIZE];

	selfmon_number_share(least, range->least);
	selfmon_number_share(most, range->most);
	selfmon_text_say(text, "%s%s", before, least);
	if (strcmp(least, most))
		selfmon_text_say(text, " to %s", most);
}

static bool is_same_range(const struct share_range *a,
			  const struct share_range *b)
{
	return !(a->least < b->least) && !(a->least > b->least) &&
	       !(a->most < b->most) && !(a->most > b->most);
}

static bool is_same_coverage(const struct coverage *a, const struct coverage *b)
{
	return is_same_range(&a->visits, &b->visits) &&
	       is_same_range(&a->time, &b->time);
}

/*
 * Prints a line for column k and all other columns with the same coverage.
 * Prints nothing if an earlier line lists column k.
 */
static void put_coverage(struct selfmon_text *text,
			 const struct coverage *coverage, const bool *any,
			 size_t k)
{
	const struct selfmon_report *const report = text->report;
	size_t i;

	for (i = 0; i < k; i++)
		if (any[i] && is_same_coverage(&coverage[i], &coverage[k]))
			return;
	selfmon_text_begin(text, "", 4);
	for (i = k; i < report->columns; i++)
		if (any[i] && is_same_coverage(&coverage[i], &coverage[k]))
			selfmon_text_say(text, "%s%s", i > k ? ", " : "",
					 report->column[i].name);
	say_range(text, ": counted in ", &coverage[k].visits);
	say_range(text, " of visits, on a counter for ", &coverage[k].time);
	selfmon_text_say(text, " of the time");
	selfmon_text_end(text);
}

static void legend_left_out(struct selfmon_text *text)
{
	struct coverage coverage[SELFMON_MAX_COUNTERS] = { 0 };
	bool any[SELFMON_MAX_COUNTERS] = { false };
	size_t k;

	legend(text, "  !", "some visits have no value here: totals and ratios "
			    "cover the others");
	for (k = 0; k < text->report->columns; k++)
		any[k] = cover(text->report, k, &coverage[k]);
	for (k = 0; k < text->report->columns; k++)
		if (any[k])
			put_coverage(text, coverage, any, k);
}

static void put_values(struct selfmon_text *text)
{
	const struct selfmon_report *const report = text->report;
	const size_t calibrated = selfmon_text_calibrated(report);

	if (!calibrated)
		fputs("as measured", text->stream);
	else if (calibrated < report->processes)
		fprintf(text->stream, "net in %zu of %zu processes", calibrated,
			report->processes);
	else
		fputs("net of the library's overhead", text->stream);
}

void selfmon_text_legend(struct selfmon_text *text)
{
	const unsigned int marks = text->marks;

	fputs("\nShare is of the top level. Values are ", text->stream);
	put_values(text);
	fputs("; percentiles are within 12.5 %.\n", text->stream);
	if (text->report->since[0])
		fputs("Minimum and maximum of an interval are bounds from the "
		      "histogram\nunless they are more extreme than all "
		      "values before the interval.\n",
		      text->stream);
	if (marks & SELFMON_MARK_DASH)
		legend(text, "  -", "not counted (not 0)");
	selfmon_text_metric_reasons(text);
	if (marks & SELFMON_MARK_OPEN)
		legend(text, "  *", "some visits are open and not included");
	if (marks & SELFMON_MARK_CUT_OFF)
		legend(text, "  x", "some visits were cut off and are not "
				    "included");
	if (marks & SELFMON_MARK_MOVED)
		legend(text, "  m", "no visits here, only their children: "
				    "these visits ended out of order and are "
				    "shown at another place");
	if (marks & SELFMON_MARK_NO_SELF)
		legend(text, "  ^", "self time unknown: visits are open, "
				    "overlap or were cut off");
	if (marks & SELFMON_MARK_LEFT_OUT)
		legend_left_out(text);
	if (marks & SELFMON_MARK_SCALED)
		legend_scaled(text);
	if (marks & SELFMON_MARK_NOISE)
		legend(text, "  ?", "within the noise of the library's "
				    "overhead");
	if (marks & SELFMON_MARK_SYSCALL)
		legend(text, "  s", "read by system call, unlike other rows of "
				    "this column");
}

static const struct {
	size_t offset;
	const char *text;
} fact[] = {
	{ offsetof(struct selfmon_row, open), "open" },
	{ offsetof(struct selfmon_row, cut_off), "cut off" },
	{ offsetof(struct selfmon_row, impossible),
	  "with an impossible value, left out" },
	{ offsetof(struct selfmon_row, refused),
	  "with a value left out: its event was off the PMU for too long" },
	{ offsetof(struct selfmon_row, lost), "with lost values" },
	{ offsetof(struct selfmon_row, repaired), "with a repaired value" },
	{ offsetof(struct selfmon_row, switched),
	  "begun across a switch of stacks (coroutines)" },
	{ offsetof(struct selfmon_row, overlapped),
	  "left out of order, enclosing a visit left out of order, or shown "
	  "elsewhere" },
	{ offsetof(struct selfmon_row, slow), "read by system call" },
	{ offsetof(struct selfmon_row, migrated), "ended on another CPU" },
	{ offsetof(struct selfmon_row, disturbed),
	  "descheduled, or counters reprogrammed" },
	{ offsetof(struct selfmon_row, retried),
	  "ends with a repeated counter read (each adds 50 to 170 "
	  "instructions)" },
};

#define FACTS (sizeof(fact) / sizeof(fact[0]))

/*
 * Adds the row's numbers of special visits, listed in fact[], to `count`.
 * Returns false if the row has no such visits.
 */
static bool add_facts(const struct selfmon_row *row, uint64_t *count)
{
	bool any = false;
	size_t i;

	for (i = 0; i < FACTS; i++) {
		const uint64_t n = *(const uint64_t *)(const void *)(
			(const char *)row + fact[i].offset);

		count[i] += n;
		any = any || n;
	}
	return any;
}

static void put_counts(struct selfmon_text *text, const uint64_t *count)
{
	const char *before = "";
	size_t i;

	for (i = 0; i < FACTS; i++) {
		if (!count[i])
			continue;
		selfmon_text_say(text, "%s%" PRIu64 " %s", before, count[i],
				 fact[i].text);
		before = "; ";
	}
	selfmon_text_end(text);
}

/* Returns the name of the row's parent, or "" if it has none. */
static const char *name_around(const struct selfmon_report *report,
			     const struct selfmon_row *row)
{
	return row->parent >= 0 && (size_t)row->parent < report->rows
		       ? report->row[row->parent].name
		       : "";
}

/* Returns true if lines about the two rows would begin with the same names. */
static bool is_same_name(const struct selfmon_report *report,
			 const struct selfmon_row *a,
			 const struct selfmon_row *b)
{
	return !strcmp(a->name, b->name) &&
	       !strcmp(name_around(report, a), name_around(report, b));
}

/*
 * Prints "parent > name: ", shortened. selfmon_text_say() would wrap names at
 * their spaces.
 */
static void put_name(struct selfmon_text *text, const struct selfmon_row *row,
		     size_t rows)
{
	const char *const parent = name_around(text->report, row);
	struct selfmon_cell cell = { .bytes = 0 };
	char in[40] = "";

	selfmon_text_begin(text, "", 2);
	if (*parent) {
		selfmon_cell_add(&cell, parent, NAME_COLUMNS);
		selfmon_cell_add(&cell, " > ", 3);
	}
	selfmon_cell_add(&cell, row->name, NAME_COLUMNS);
	if (rows > 1)
		snprintf(in, sizeof(in), ", in %zu rows", rows);
	selfmon_cell_add(&cell, in, sizeof(in));
	selfmon_cell_add(&cell, ": ", 2);
	selfmon_text_left(text, &cell, 0);
	text->column += cell.columns;
	text->indent = 4;
}

/*
 * Prints the line about a row, and about later rows of the same name: the names
 * do not show that such rows are at different places further up in the tree.
 */
static void put_note(struct selfmon_text *text, size_t first)
{
	const struct selfmon_report *const report = text->report;
	uint64_t count[FACTS] = { 0 };
	size_t rows = 0, i;

	for (i = first; i < report->rows; i++)
		if (!selfmon_row_is_thread(report, i) &&
		    is_same_name(report, &report->row[i], &report->row[first]))
			rows += add_facts(&report->row[i], count);
	put_name(text, &report->row[first], rows);
	put_counts(text, count);
}

/* Returns true if one of the rows told[] has the same names as this row. */
static bool has_note(const struct selfmon_report *report, const size_t *told,
		     size_t rows, size_t i)
{
	while (rows--)
		if (is_same_name(report, &report->row[told[rows]],
				 &report->row[i]))
			return true;
	return false;
}

void selfmon_text_notes(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;
	const size_t most = text->viewed->folded ? NOTES_FEW : NOTES_MAX;
	size_t row[NOTES_MAX], told = 0, more = 0, i;
	uint64_t rest[FACTS] = { 0 };

	for (i = 0; i < report->rows; i++) {
		uint64_t count[FACTS] = { 0 };

		if (selfmon_row_is_thread(report, i) ||
		    !add_facts(&report->row[i], count) ||
		    has_note(report, row, told, i))
			continue;
		if (told == most) {
			add_facts(&report->row[i], rest);
			more++;
			continue;
		}
		if (!told)
			fputs("\nNotes on visits:\n", text->stream);
		row[told++] = i;
		put_note(text, i);
	}
	if (!more)
		return;
	selfmon_text_begin(text, "", 2);
	selfmon_text_say(text, "and %zu more rows: ", more);
	put_counts(text, rest);
}
