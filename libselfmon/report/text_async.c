/* SPDX-License-Identifier: MIT */
/*
 * The table of detached spans that are not frames. It has neither totals nor
 * shares: spans overlap, so their sums are not a part of the program's time.
 */
#include "report/text_async.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/number.h"
#include "report/text_cell.h"
#include "report/text_counters.h"
#include "report/text_label.h"
#include "report/text_line.h"

#define COUNT 10
#define BRIEF 8 /* mean, percentiles */

static const char *const count_name[] = { "ended", "open now", "elsewhere" };
static const char *const time_name[] = { "mean", "p50", "p90", "p99", "max" };
#define COUNTS (sizeof(count_name) / sizeof(count_name[0]))
#define TIMES (sizeof(time_name) / sizeof(time_name[0]))

static void put_head(struct selfmon_text *text)
{
	struct selfmon_cell span = { .bytes = 0 };
	size_t i;

	selfmon_cell_add(&span, "span", 4);
	selfmon_text_left(text, &span, text->label_columns);
	for (i = 0; i < COUNTS; i++)
		selfmon_text_right(text, count_name[i], COUNT);
	for (i = 0; i < TIMES; i++)
		selfmon_text_right(text, time_name[i], BRIEF);
	selfmon_text_row_end(text);
}

static void put_span(struct selfmon_text *text, size_t i)
{
	const struct selfmon_row *const row = &text->report->row[i];
	const uint64_t count[COUNTS] = { row->visits, row->open,
					 row->elsewhere };
	const double ns[TIMES] = { row->time.net / (double)row->visits,
				   (double)row->p50_ns, (double)row->p90_ns,
				   (double)row->p99_ns, (double)row->max_ns };
	char number[SELFMON_NUMBER_SIZE];
	size_t k;

	selfmon_label_put(text, i);
	for (k = 0; k < COUNTS; k++) {
		selfmon_number_visits(number, count[k]);
		selfmon_text_right(text, number, COUNT);
	}
	for (k = 0; k < TIMES; k++) {
		selfmon_number_time(number, row->visits ? ns[k] : (double)NAN,
				    3);
		selfmon_text_right(text, number, BRIEF);
	}
	selfmon_text_row_end(text);
}

static void put_coroutines(struct selfmon_text *text)
{
	const size_t rows = text->report->rows;
	char number[SELFMON_NUMBER_SIZE];
	uint64_t begun = 0;
	size_t i;

	for (i = 0; i < rows; i++)
		begun += text->report->row[i].switched;
	if (!begun)
		return;
	selfmon_number_visits(number, begun);
	selfmon_text_begin(text, "", 0);
	selfmon_text_say(text,
			 "%s of these began as regions in coroutines, which "
			 "have no counters and no place in the tree",
			 number);
	selfmon_text_end(text);
}

static void put_spans(struct selfmon_text *text)
{
	const struct selfmon_row *const row = text->report->row;
	size_t i, spans = 0, shown = 0;

	for (i = 0; i < text->report->rows; i++)
		spans += !row[i].frames;
	if (!spans)
		return;
	fputs("\nDetached spans: wall time from start to end, as measured\n\n",
	      text->stream);
	put_head(text);
	for (i = 0; i < text->report->rows && shown < SELFMON_VIEW_ROWS; i++) {
		if (row[i].frames)
			continue;
		put_span(text, i);
		shown++;
	}
	if (shown == spans)
		return;
	selfmon_text_begin(text, "", 0);
	selfmon_text_say(text,
			 "%zu more spans have less time; JSON and CSV "
			 "have all",
			 spans - shown);
	selfmon_text_end(text);
}

/*
 * Prints the metrics of the bytes and items that spans counted, in tables like
 * those of regions.
 */
static void put_work(struct selfmon_text *text)
{
	struct selfmon_report some = *text->report;
	struct selfmon_viewed viewed = { .whole = &some, .report = &some };
	struct selfmon_text table = *text;

	if (some.rows > SELFMON_VIEW_ROWS)
		some.rows = SELFMON_VIEW_ROWS;
	viewed.rows = some.rows;
	memset(viewed.shown.ratio, true, sizeof(viewed.shown.ratio));
	table.report = &some;
	table.viewed = &viewed;
	selfmon_text_counters(&table);
	text->marks = table.marks;
}

void selfmon_text_async(struct selfmon_text *text)
{
	struct selfmon_text table = *text;

	if (!text->report->async)
		return;
	table.report = text->report->async;
	table.located = NULL;
	selfmon_label_prepare(&table);
	put_spans(&table);
	put_coroutines(&table);
	put_work(&table);
	free(table.located);
	text->marks |= table.marks;
}
