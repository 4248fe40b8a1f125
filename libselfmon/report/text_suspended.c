/* SPDX-License-Identifier: MIT */
/*
 * The table of suspended visits: those of fibers, and of threads that ran
 * fibers. The times in the other tables exclude the time of suspension.
 */
#include "report/text_suspended.h"

#include "report/number.h"
#include "report/suspended.h"
#include "report/text_cell.h"
#include "report/text_label.h"
#include "report/text_line.h"

#define COLUMN 11

static const char *const suspended_heading[] = { "suspended", "each time",
						 "in all", "ran" };
#define VALUES (sizeof(suspended_heading) / sizeof(suspended_heading[0]))

static void put_suspended_head(struct selfmon_text *text)
{
	struct selfmon_cell region = { .bytes = 0 };
	size_t i;

	fputs("\nSuspended while others ran: not included in the times of "
	      "other tables\n\n",
	      text->stream);
	selfmon_cell_add(&region, "region", 6);
	selfmon_text_left(text, &region, text->label_columns);
	for (i = 0; i < VALUES; i++)
		selfmon_text_right(text, suspended_heading[i], COLUMN);
	selfmon_text_row_end(text);
}

static void put_time_between(struct selfmon_text *text, double ns)
{
	char number[SELFMON_NUMBER_SIZE];

	selfmon_number_time(number, ns, 3);
	selfmon_text_right(text, number, COLUMN);
}

static void put_suspended_row(struct selfmon_text *text, size_t i)
{
	const struct selfmon_row *const row = &text->report->row[i];
	const double ns = (double)row->suspended_ns;
	char number[SELFMON_NUMBER_SIZE];

	selfmon_label_put(text, i);
	selfmon_number_visits(number, row->suspended);
	selfmon_text_right(text, number, COLUMN);
	put_time_between(text, ns / (double)row->suspended);
	put_time_between(text, ns);
	if (row->time.verdict == SELFMON_NOT_COUNTED)
		selfmon_text_right(text, "-", COLUMN);
	else
		put_time_between(text, row->time.net);
	selfmon_text_row_end(text);
}

void selfmon_text_suspended(struct selfmon_text *text)
{
	size_t i;

	if (!selfmon_report_suspended(text->report))
		return;
	put_suspended_head(text);
	for (i = 0; i < text->report->rows; i++)
		if (text->report->row[i].suspended)
			put_suspended_row(text, i);
}
