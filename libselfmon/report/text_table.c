/* SPDX-License-Identifier: MIT */
/* The first table: visits and time. */
#include <math.h>

#include "report/text.h"

/*
 * Columns of the table, a space before each and one mark behind some. The mark
 * of a brief one takes the place of the space before the next.
 */
#define VISITS 8
#define TOTAL 9
#define SHARE 6
#define BRIEF 8 /* mean, percentiles */
#define FIXED (VISITS + 1 + 2 * (TOTAL + 1) + SHARE + 4 * BRIEF + 1)

_Static_assert(FIXED + SELFMON_LABEL_COLUMNS == SELFMON_LINE_COLUMNS,
	       "the table of times is as wide as a line");

static bool has_extremes(const struct selfmon_text *text)
{
	return text->label_columns + FIXED + 2 * BRIEF <= SELFMON_LINE_COLUMNS;
}

static void put_heading(struct selfmon_text *text)
{
	struct selfmon_cell region = { .bytes = 0 };

	putc('\n', text->stream);
	selfmon_cell_add(&region, "region", 6);
	selfmon_text_left(text, &region, text->label_columns);
	selfmon_text_right(text, "visits", VISITS);
	selfmon_text_right(text, "total", TOTAL + 1);
	selfmon_text_right(text, "share", SHARE + 1);
	selfmon_text_right(text, "self", TOTAL);
	selfmon_text_right(text, "mean", BRIEF + 1);
	selfmon_text_right(text, "p50", BRIEF);
	selfmon_text_right(text, "p90", BRIEF);
	selfmon_text_right(text, "p99", BRIEF);
	if (has_extremes(text)) {
		selfmon_text_right(text, "min", BRIEF);
		selfmon_text_right(text, "max", BRIEF);
	}
	selfmon_text_row_end(text);
}

static void put_ns(struct selfmon_text *text, double ns, unsigned int digits,
		   unsigned int columns)
{
	char number[SELFMON_NUMBER_SIZE];

	selfmon_number_time(number, ns, digits);
	selfmon_text_right(text, number, columns);
}

static void put_visits(struct selfmon_text *text, const struct selfmon_row *row)
{
	char number[SELFMON_NUMBER_SIZE];

	selfmon_number_visits(number, row->visits);
	selfmon_text_right(text, number, VISITS);
	selfmon_text_marks(text,
			   row->open	  ? SELFMON_MARK_OPEN
			   : row->cut_off ? SELFMON_MARK_CUT_OFF
			   : row->visits  ? 0
					  : SELFMON_MARK_MOVED,
			   1);
}

static void put_self(struct selfmon_text *text, const struct selfmon_row *row)
{
	const struct selfmon_quantity *time = &row->time;
	const double self = time->net_exclusive;
	unsigned int marks = 0;

	if (time->verdict == SELFMON_NOT_COUNTED) {
		selfmon_text_right(text, "-", TOTAL);
	} else if (!row->exclusive_valid) {
		selfmon_text_right(text, "-", TOTAL);
		marks = SELFMON_MARK_NO_SELF;
	} else {
		if (!isfinite(self) || self < 0 ||
		    (time->noise > 0 && self <= time->noise))
			marks = SELFMON_MARK_NOISE;
		put_ns(text, self < 0 ? 0 : self, 4, TOTAL);
	}
	selfmon_text_marks(text, marks, 1);
}

/* Percentiles and extremes: of one visit each. */
static void put_brief(struct selfmon_text *text, const struct selfmon_row *row)
{
	const struct {
		uint64_t ns;
		uint32_t unsure;
	} value[] = {
		{ row->p50_ns, SELFMON_UNSURE_P50 },
		{ row->p90_ns, SELFMON_UNSURE_P90 },
		{ row->p99_ns, SELFMON_UNSURE_P99 },
		{ row->min_ns, SELFMON_UNSURE_MIN },
		{ row->max_ns, SELFMON_UNSURE_MAX },
	};
	const bool counted = row->time.verdict != SELFMON_NOT_COUNTED;
	const size_t count = has_extremes(text) ? 5 : 3;
	unsigned int marks = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		put_ns(text, counted ? (double)value[i].ns : (double)NAN, 3,
		       marks ? BRIEF - 1 : BRIEF);
		marks = counted && row->unsure & value[i].unsure
				? SELFMON_MARK_NOISE
				: 0;
		selfmon_text_marks(text, marks, marks ? 1 : 0);
	}
}

static void put_table_row(struct selfmon_text *text,
			  const struct selfmon_row *row)
{
	const double net = selfmon_value_net(&row->time);
	const unsigned int marks = selfmon_value_marks(text, row, -1);
	const double none = (double)NAN;
	char share[SELFMON_NUMBER_SIZE];

	text->marks |= marks & SELFMON_MARK_DASH;
	put_visits(text, row);
	put_ns(text, net, 4, TOTAL);
	selfmon_text_marks(text, marks, 1);
	selfmon_number_share(share, text->report->total_ns > 0
					    ? net / text->report->total_ns
					    : none);
	selfmon_text_right(text, share, SHARE);
	put_self(text, row);
	put_ns(text, row->visits ? net / (double)row->visits : none, 3, BRIEF);
	put_brief(text, row);
	selfmon_text_row_end(text);
}

void selfmon_text_times(struct selfmon_text *text)
{
	size_t i;

	put_heading(text);
	for (i = 0; i < text->report->rows; i++) {
		selfmon_label_put(text, i);
		put_table_row(text, &text->report->row[i]);
	}
}
