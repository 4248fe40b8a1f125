/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "report_folded_samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_folded.h"
#include "tool.h"

struct line {
	char *text;
	uint64_t count;
};

static void put_functions(struct symbols *symbols,
			  const struct selfmon_sampled_stack *stack, FILE *to)
{
	uint32_t i;
	size_t k;

	for (i = stack->depth; i-- > 0;) {
		const struct symbol_place *const place =
			symbols_find(symbols, stack, i);

		if (!symbols_is_shown(place, i))
			continue;
		for (k = place->frames; k-- > 0;) {
			putc(';', to);
			report_folded_name(place->frame[k].function->name, to);
		}
	}
}

static void put_regions(const struct selfmon_report *report, int32_t row,
			FILE *to)
{
	if (row < 0)
		fputs("(outside of regions)", to);
	else
		report_folded_path(report, (size_t)row, to);
}

static char *text_of(const struct selfmon_report *report,
		     struct symbols *symbols,
		     const struct selfmon_sampled_stack *stack)
{
	char *text = NULL;
	size_t size;
	FILE *const memory = open_memstream(&text, &size);

	if (!memory)
		return NULL;
	put_regions(report, stack->row, memory);
	put_functions(symbols, stack, memory);
	if (!fclose(memory))
		return text;
	free(text);
	return NULL;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text,
		      ((const struct line *)b)->text);
}

/*
 * Writes the lines. Stacks with different addresses in the same functions are
 * one line.
 */
static void put_lines(struct line *line, size_t count, FILE *to)
{
	uint64_t sum = 0;
	size_t i;

	if (count)
		qsort(line, count, sizeof(*line), compare_texts);
	for (i = 0; i < count; i++) {
		sum += line[i].count;
		if (i + 1 < count && !strcmp(line[i].text, line[i + 1].text))
			continue;
		fprintf(to, "%s %" PRIu64 "\n", line[i].text, sum);
		sum = 0;
	}
}

static bool put_row(const struct selfmon_report *report,
		    struct symbols *symbols, int32_t row, size_t *at, FILE *to)
{
	const struct selfmon_samples *const samples = report->samples;
	const struct selfmon_sampled_stack *const stack = samples->stack + *at;
	struct selfmon_sampled_stack rest = {
		.row = row,
		.count = row < 0 ? samples->outside : report->row[row].samples
	};
	struct line *line;
	size_t count = 0, lines = 0, i;
	bool done = true;

	while (*at + count < samples->stacks && stack[count].row == row)
		count++;
	line = calloc(count + 1, sizeof(*line));
	if (!line)
		return false;
	for (i = 0; done && i < count; i++) {
		line[lines].text = text_of(report, symbols, &stack[i]);
		line[lines].count = stack[i].count;
		rest.count -= stack[i].count < rest.count ? stack[i].count
							  : rest.count;
		done = line[lines++].text;
	}
	if (done && rest.count) { /* samples without a stack */
		line[lines].text = text_of(report, symbols, &rest);
		line[lines].count = rest.count;
		done = line[lines++].text;
	}
	if (done)
		put_lines(line, lines, to);
	for (i = 0; i < lines; i++)
		free(line[i].text);
	free(line);
	*at += count;
	return done;
}

int report_folded_samples(const struct selfmon_report *report, const char *path,
			  struct symbols *symbols, FILE *to)
{
	bool done = true;
	size_t at = 0;
	int32_t row;

	for (row = -1; done && row < (int32_t)report->rows; row++)
		done = put_row(report, symbols, row, &at, to);
	if (!done || symbols_failed(symbols))
		return tool_fail("report", "%s: no memory", path);
	return 0;
}
