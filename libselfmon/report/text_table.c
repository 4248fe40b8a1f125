/* SPDX-License-Identifier: MIT */
/* The first table: visits and time. */
#include "report/text_table.h"

#include <math.h>

#include "report/apart.h"
#include "report/text.h"
#include "report/text_cell.h"
#include "report/text_label.h"
#include "report/text_line.h"
#include "report/text_rows.h"
#include "report/text_value.h"
#include "report/view_columns.h"

/*
 * Widths of the columns, including a leading space. After visits, total and
 * self a mark has a column of its own. After the narrow columns a mark takes
 * the place of the next column's space.
 */
#define VISITS 8
#define TOTAL 9
#define SHARE 6
#define BRIEF 8 /* mean, percentiles */
#define FIXED (VISITS + 1 + 2 * (TOTAL + 1) + SHARE + 6 * BRIEF + 1)

_Static_assert(FIXED + SELFMON_LABEL_COLUMNS == SELFMON_TABLE_COLUMNS,
	       "the table of times is as wide as a line");

static const struct {
	uint8_t columns, marks;
} width[SELFMON_SHOW_COUNT] = {
	[SELFMON_SHOW_VISITS] = { VISITS, 1 }, [SELFMON_SHOW_TOTAL] = { TOTAL, 1 },
	[SELFMON_SHOW_SHARE] = { SHARE, 0 },   [SELFMON_SHOW_SELF] = { TOTAL, 1 },
	[SELFMON_SHOW_MEAN] = { BRIEF, 0 },    [SELFMON_SHOW_P50] = { BRIEF, 0 },
	[SELFMON_SHOW_P90] = { BRIEF, 0 },     [SELFMON_SHOW_P99] = { BRIEF, 0 },
	[SELFMON_SHOW_MIN] = { BRIEF, 0 },     [SELFMON_SHOW_MAX] = { BRIEF, 0 },
};

static bool is_shown(const struct selfmon_text *text,
		     enum selfmon_time_column which)
{
	return text->viewed->shown.time[which];
}

static void put_heading(struct selfmon_text *text)
{
	struct selfmon_cell region = { .bytes = 0 };
	size_t i;

	putc('\n', text->stream);
	selfmon_cell_add(&region, "region", 6);
	selfmon_text_left(text, &region, text->label_columns);
	for (i = 0; i < SELFMON_SHOW_COUNT; i++) {
		if (!text->viewed->shown.time[i])
			continue;
		selfmon_text_right(text, selfmon_time_name[i],
				   width[i].columns);
		selfmon_text_marks(text, 0, width[i].marks);
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

	if (!is_shown(text, SELFMON_SHOW_VISITS))
		return;
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

	if (!is_shown(text, SELFMON_SHOW_SELF))
		return;
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

/* Prints percentiles and extremes, which are times of single visits. */
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
	unsigned int marks = 0;
	size_t i;

	for (i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
		if (!text->viewed->shown.time[SELFMON_SHOW_P50 + i])
			continue;
		put_ns(text, counted ? (double)value[i].ns : (double)NAN, 3,
		       marks ? BRIEF - 1 : BRIEF);
		marks = counted && row->unsure & value[i].unsure
				? SELFMON_MARK_NOISE
				: 0;
		selfmon_text_marks(text, marks, marks ? 1 : 0);
	}
}

static void put_time_total(struct selfmon_text *text, const struct selfmon_row *row)
{
	const unsigned int marks = selfmon_value_marks(text, row, -1);

	text->marks |= marks & SELFMON_MARK_DASH;
	if (!is_shown(text, SELFMON_SHOW_TOTAL))
		return;
	put_ns(text, selfmon_value_net(&row->time), 4, TOTAL);
	selfmon_text_marks(text, marks, 1);
}

static void put_share(struct selfmon_text *text, const struct selfmon_row *row)
{
	const double total = text->report->total_ns;
	char share[SELFMON_NUMBER_SIZE];

	if (!is_shown(text, SELFMON_SHOW_SHARE))
		return;
	selfmon_number_share(share, total > 0 ? selfmon_value_net(&row->time) /
							total
					      : (double)NAN);
	selfmon_text_right(text, share, SHARE);
}

static void put_mean(struct selfmon_text *text, const struct selfmon_row *row)
{
	if (is_shown(text, SELFMON_SHOW_MEAN))
		put_ns(text, row->visits ? selfmon_value_net(&row->time) /
						   (double)row->visits
					 : (double)NAN,
		       3, BRIEF);
}

/*
 * Leaves out meaningless values: the self time of a thread; the mean,
 * percentiles and extremes of a thread or of several regions; the percentiles
 * and extremes of a single visit.
 */
static void put_table_row(struct selfmon_text *text, size_t i)
{
	const struct selfmon_row *const row = &text->report->row[i];
	const bool is_thread = selfmon_row_is_thread(text->report, i);
	const bool others = is_thread ||
			    selfmon_text_is_others(text->report, i);

	put_visits(text, row);
	put_time_total(text, row);
	put_share(text, row);
	if (!is_thread)
		put_self(text, row);
	if (!others)
		put_mean(text, row);
	if (!others && row->visits != 1)
		put_brief(text, row);
	selfmon_text_row_end(text);
}

void selfmon_text_times(struct selfmon_text *text)
{
	bool any = false;
	size_t i;

	for (i = 0; i < SELFMON_SHOW_COUNT; i++)
		any = any || text->viewed->shown.time[i];
	if (!any)
		return;
	put_heading(text);
	for (i = 0; i < text->report->rows; i++) {
		selfmon_label_put(text, i);
		put_table_row(text, i);
	}
}
