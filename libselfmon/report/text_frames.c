/* SPDX-License-Identifier: MIT */
/* The table of frames: detached spans from mark to mark. */
#include "report/text_frames.h"

#include <stdlib.h>

#include "report/number.h"
#include "report/text_cell.h"
#include "report/text_label.h"
#include "report/text_line.h"

#define COUNT 10
#define BRIEF 8 /* mean, percentiles */

static const char *const frame_time_name[] = { "mean", "p50", "p90",
					       "p99",  "min", "max" };
#define TIMES (sizeof(frame_time_name) / sizeof(frame_time_name[0]))

static void put_frames_head(struct selfmon_text *text)
{
	struct selfmon_cell frame = { .bytes = 0 };
	size_t i;

	fputs("\nFrames: wall time from mark to mark, as measured; frames per "
	      "second are for one thread\n\n",
	      text->stream);
	selfmon_cell_add(&frame, "frame", 5);
	selfmon_text_left(text, &frame, text->label_columns);
	selfmon_text_right(text, "frames", COUNT);
	selfmon_text_right(text, "per second", COUNT + 1);
	for (i = 0; i < TIMES; i++)
		selfmon_text_right(text, frame_time_name[i], BRIEF);
	selfmon_text_row_end(text);
}

/* Frames have no gaps between them, so their rate follows from the mean. */
static void put_rate(struct selfmon_text *text, double mean_ns)
{
	char number[32] = "-";

	if (mean_ns > 0)
		snprintf(number, sizeof(number), "%.1f", 1e9 / mean_ns);
	selfmon_text_right(text, number, COUNT + 1);
}

static void put_frame(struct selfmon_text *text, size_t i)
{
	const struct selfmon_row *const row = &text->report->row[i];
	const double mean =
		row->visits ? row->time.net / (double)row->visits : 0;
	const double ns[TIMES] = { mean,
				   (double)row->p50_ns,
				   (double)row->p90_ns,
				   (double)row->p99_ns,
				   (double)row->min_ns,
				   (double)row->max_ns };
	char number[SELFMON_NUMBER_SIZE];
	size_t k;

	selfmon_label_put(text, i);
	selfmon_number_visits(number, row->visits);
	selfmon_text_right(text, number, COUNT);
	put_rate(text, mean);
	for (k = 0; k < TIMES; k++) {
		selfmon_number_time(number, ns[k], 3);
		selfmon_text_right(text, number, BRIEF);
	}
	selfmon_text_row_end(text);
}

static void put_all_frames(struct selfmon_text *text)
{
	const struct selfmon_row *const row = text->report->row;
	size_t i, frames = 0;

	for (i = 0; i < text->report->rows && frames < SELFMON_VIEW_ROWS; i++) {
		if (!row[i].frames)
			continue;
		if (!frames++)
			put_frames_head(text);
		put_frame(text, i);
	}
}

void selfmon_text_frames(struct selfmon_text *text)
{
	struct selfmon_text table = *text;

	if (!text->report->async)
		return;
	table.report = text->report->async;
	table.located = NULL;
	selfmon_label_prepare(&table);
	put_all_frames(&table);
	free(table.located);
	text->marks |= table.marks;
}
