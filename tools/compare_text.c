/* SPDX-License-Identifier: MIT */
#include "compare_text.h"

#include <stdlib.h>
#include <string.h>

#include "compare_words.h"
#include "platform/escape.h"
#include "report/text.h"
#include "report/text_cell.h"

#define NAME_COLUMNS 28
#define ROWS_MAX 60
#define LISTED_MAX 10

/*
 * Shortens a path that is too long, keeping its end, which identifies the
 * region.
 */
static const char *last_parts(const char *label)
{
	const char *next = label;

	while (selfmon_columns_of(label) + 2 > NAME_COLUMNS) {
		next = strstr(label + 1, " > ");
		if (!next)
			return label;
		label = next;
	}
	return label;
}

static void put_label(const struct compare_region *region, FILE *to)
{
	struct selfmon_cell cell = { .bytes = 0 };
	char *const label = compare_label(region);
	const char *part = label ? label : region->name;

	if (selfmon_columns_of(part) > NAME_COLUMNS)
		part = last_parts(part);
	if (part[0] == ' ')
		selfmon_cell_add(&cell, "…", 1);
	selfmon_cell_add(&cell, part, NAME_COLUMNS - cell.columns);
	free(label);
	fprintf(to, "%.*s%*s", (int)cell.bytes, cell.text,
		(int)(NAME_COLUMNS - cell.columns), "");
}

static void put_cell(const struct compare *compare,
		     const struct compare_cell *cell, size_t column, FILE *to)
{
	char a[COMPARE_WORD], b[COMPARE_WORD], change[COMPARE_WORD],
		range[COMPARE_WORD];

	fprintf(to, " %9s %9s %9s%s %17s",
		compare_value(compare, column, cell->median[0], a),
		compare_value(compare, column, cell->median[1], b),
		compare_change(cell->ratio.value, change),
		cell->estimated ? "~" : " ",
		compare_range(&cell->ratio, range));
}

static void put_short(const char *text, unsigned int columns, FILE *to)
{
	struct selfmon_cell cell = { .bytes = 0 };

	selfmon_cell_add(&cell, text, columns);
	fprintf(to, "%.*s", (int)cell.bytes, cell.text);
}

static void put_side(const struct compare *compare, size_t side, FILE *to)
{
	const struct compare_side *const of = &compare->side[side];
	const struct report_file *const first = &compare->file[of->first];

	fprintf(to, "%c  %zu run%s of ", "AB"[side], of->count,
		of->count == 1 ? "" : "s");
	put_short(first->report->program, 30, to);
	fputs(": ", to);
	put_short(of->name ? of->name : first->path, 50, to);
	fputs(of->count > 1 && !of->name ? " ...\n" : "\n", to);
}

static void put_marks(const struct compare *compare, FILE *to)
{
	size_t i;

	for (i = 0; i < compare->marks; i++) {
		fputs("caution  ", to);
		put_short(compare->mark[i], 90, to);
		putc('\n', to);
	}
}

/* ---- the table ----------------------------------------------------------- */

static void put_row(const struct compare *compare,
		    const struct compare_region *region, FILE *to)
{
	char p[COMPARE_WORD];

	put_label(region, to);
	put_cell(compare, &region->cell[compare->primary], compare->primary,
		 to);
	fprintf(to, " %8s  %s\n",
		region->verdict == COMPARE_NO_TEST
			? "-"
			: compare_p(region->adjusted, p),
		compare_verdict_word(compare, region->verdict));
}

static void put_table(const struct compare *compare, FILE *to)
{
	size_t i;

	fprintf(to, "\n%-*s %9s %9s %9s  %17s %8s  %s\n", NAME_COLUMNS,
		"region", "A", "B", "B to A",
		"95 % interval", "p", "verdict");
	for (i = 0; i < compare->family && i < ROWS_MAX; i++)
		put_row(compare, compare->region[i], to);
	if (compare->family > ROWS_MAX)
		fprintf(to, "... %zu more; -f json has all\n",
			compare->family - ROWS_MAX);
}

/* ---- other columns ------------------------------------------------------- */

static bool is_other(const struct compare *compare,
		     const struct compare_region *region, size_t column)
{
	return column != compare->primary && compare->column[column] &&
	       compare_is_changed(&region->cell[column]);
}

static void put_other(const struct compare *compare,
		      const struct compare_region *region, size_t column,
		      FILE *to)
{
	put_label(region, to);
	put_cell(compare, &region->cell[column], column, to);
	fputs("  ", to);
	selfmon_output_text(to, compare->column[column]);
	putc('\n', to);
}

static void put_others(const struct compare *compare, FILE *to)
{
	size_t i, k, rows = 0;

	for (i = 0; i < compare->family; i++)
		for (k = 0; k < COMPARE_COLUMNS; k++) {
			if (!is_other(compare, compare->region[i], k))
				continue;
			if (!rows)
				fprintf(to, "\nOther columns whose interval "
					"excludes 0 %% (not corrected for "
					"their number):\n");
			if (++rows <= ROWS_MAX)
				put_other(compare, compare->region[i], k, to);
		}
	if (rows > ROWS_MAX)
		fprintf(to, "... %zu more; -f json has all\n", rows - ROWS_MAX);
}

/* ---- regions of one side ------------------------------------------------- */

static void put_listed(const struct compare *compare, size_t side, FILE *to)
{
	size_t i, count = 0;

	for (i = 0; i < compare->regions; i++) {
		const struct compare_region *const region = compare->region[i];

		if (!region->runs[side] || region->runs[!side])
			continue;
		if (!count++)
			fprintf(to, "\nOnly in %c:\n", "AB"[side]);
		if (count > LISTED_MAX)
			continue;
		fputs("  ", to);
		put_label(region, to);
		fprintf(to, " %5.1f %% of the time\n", region->share * 100);
	}
	if (count > LISTED_MAX)
		fprintf(to, "  ... %zu more; -f json has all\n",
			count - LISTED_MAX);
}

void compare_text(const struct compare *compare, FILE *to)
{
	char conclusion[512];

	put_side(compare, 0, to);
	put_side(compare, 1, to);
	put_marks(compare, to);
	if (compare->family)
		put_table(compare, to);
	put_others(compare, to);
	put_listed(compare, 0, to);
	put_listed(compare, 1, to);
	compare_conclude(compare, conclusion, sizeof(conclusion));
	fprintf(to, "\n%s\n", conclusion);
	if (compare_advise(compare, conclusion, sizeof(conclusion)))
		fprintf(to, "%s.\n", conclusion);
	if (compare->verdicts[COMPARE_SMALL])
		fprintf(to, "%zu regions are not judged: below %.3g %% of the "
			"time, or not on both sides.\n",
			compare->verdicts[COMPARE_SMALL],
			compare->least_share * 100);
	fputs("A and B: ", to);
	selfmon_output_text(to, compare->column[compare->primary]);
	fprintf(to, "%s, the median of the runs. Gate: %.3g %%.\n",
		compare->primary == COMPARE_VISITS ? "" : " of the mean visit",
		compare->gate * 100);
}
