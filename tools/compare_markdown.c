/* SPDX-License-Identifier: MIT */
#include "compare_markdown.h"

#include <stdlib.h>
#include <string.h>

#include "compare_words.h"
#include "report/text.h"
#include "report/text_cell.h"

#define LABEL_COLUMNS 80
#define ROWS_MAX 150 /* with ordinary names, each has up to 400 characters */

/*
 * Escapes a name, so that no character has a special meaning in markdown or
 * HTML.
 */
static void put_text(const char *text, FILE *to)
{
	for (; *text; text++) {
		if (strchr("\\`*_{}[]<>()#+-.!|&~@:", *text))
			fprintf(to, "&#%d;", *text);
		else
			putc(*text, to);
	}
}

static void put_escaped(const char *s, unsigned int columns, FILE *to)
{
	struct selfmon_cell cell = { .bytes = 0 };

	selfmon_cell_add(&cell, s, columns);
	cell.text[cell.bytes] = '\0';
	put_text(cell.text, to);
}

static void put_head(const struct compare *compare, FILE *to)
{
	fputs("| region | ", to);
	put_escaped(compare->column[compare->primary], LABEL_COLUMNS, to);
	fputs(" A | B | B to A | 95 % interval | p | verdict |\n"
	      "|---|--:|--:|--:|---|--:|---|\n", to);
}

static void put_row(const struct compare *compare,
		    const struct compare_region *region, FILE *to)
{
	const struct compare_cell *const cell =
		&region->cell[compare->primary];
	char *const label = compare_label(region);
	char a[COMPARE_WORD], b[COMPARE_WORD], change[COMPARE_WORD],
		range[COMPARE_WORD], p[COMPARE_WORD];
	const bool bad = region->verdict == COMPARE_REGRESSION;

	fputs("| ", to);
	put_escaped(label ? label : region->name, LABEL_COLUMNS, to);
	free(label);
	fprintf(to, " | %s | %s | %s%s | %s | %s | %s%s%s |\n",
		compare_value(compare, compare->primary, cell->median[0], a),
		compare_value(compare, compare->primary, cell->median[1], b),
		compare_change(cell->ratio.value, change),
		cell->estimated ? " (estimated)" : "",
		compare_range(&cell->ratio, range),
		region->verdict == COMPARE_NO_TEST
			? "-"
			: compare_p(region->adjusted, p),
		bad ? "**" : "", compare_verdict_word(compare, region->verdict),
		bad ? "**" : "");
}

static bool is_news(enum compare_verdict verdict)
{
	return verdict == COMPARE_REGRESSION || verdict == COMPARE_SLOWER ||
	       verdict == COMPARE_FASTER;
}

/* Writes the changed rows, or all others. Returns how many more rows fit. */
static size_t put_rows(const struct compare *compare, bool news, size_t left,
		       FILE *to)
{
	size_t i, omitted = 0;

	for (i = 0; i < compare->family; i++) {
		if (is_news(compare->region[i]->verdict) != news)
			continue;
		if (!left) {
			omitted++;
			continue;
		}
		put_row(compare, compare->region[i], to);
		left--;
	}
	if (omitted)
		fprintf(to, "\n%zu more regions: selfmon compare -f json has "
			"all.\n", omitted);
	return left;
}

void compare_markdown(const struct compare *compare, FILE *to)
{
	char conclusion[512];
	size_t i, news = 0, left = ROWS_MAX;

	for (i = 0; i < compare->family; i++)
		news += is_news(compare->region[i]->verdict);
	compare_conclude(compare, conclusion, sizeof(conclusion));
	fprintf(to, "### selfmon compare: %s\n\n%zu runs of A, %zu of B; gate "
		"%.3g %%.\n\n", conclusion, compare->side[0].count,
		compare->side[1].count, compare->gate * 100);
	if (compare_advise(compare, conclusion, sizeof(conclusion)))
		fprintf(to, "%s.\n\n", conclusion);
	for (i = 0; i < compare->marks; i++) {
		fputs("- caution: ", to);
		put_escaped(compare->mark[i], 99, to);
		putc('\n', to);
	}
	if (news) {
		putc('\n', to);
		put_head(compare, to);
		left = put_rows(compare, true, left, to);
	}
	if (news == compare->family)
		return;
	fprintf(to, "\n<details><summary>%zu regions without a significant "
		"change</summary>\n\n", compare->family - news);
	put_head(compare, to);
	put_rows(compare, false, left, to);
	fputs("\n</details>\n", to);
}
