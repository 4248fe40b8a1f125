/* SPDX-License-Identifier: MIT */
#include "report/text_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "report/apart.h"
#include "report/suspended.h"
#include "report/text.h"
#include "report/text_counters.h"
#include "report/text_label.h"
#include "report/text_line.h"
#include "report/text_table.h"
#include "report/text_units.h"
#include "report/view_columns.h"
#include "report/view_rows.h"

/*
 * Number of rows in the list of the most self time, which follows the tree if
 * the rows do not fit on a page.
 */
#define HOT_ROWS 8
/*
 * A table has at least this number of rows, even if it does not fit on the
 * page.
 */
#define ROWS_LEAST 10

void selfmon_text_rows(const struct selfmon_view *view,
		       const struct selfmon_report *report, size_t *rows,
		       size_t *beyond)
{
	const size_t hot = view->flat ? 0 : HOT_ROWS;
	struct selfmon_shown shown;
	size_t tables;

	selfmon_view_show(view, report, &shown);
	tables = 1 + selfmon_text_counter_tables(report, &shown) +
		 selfmon_text_unit_tables(report, &shown) +
		 selfmon_report_suspended(report) + report->off_cpu +
		 (report->samples != NULL);
	*rows = SELFMON_VIEW_ROWS / tables;
	*beyond = (SELFMON_VIEW_ROWS - hot) / tables;
	if (*rows < ROWS_LEAST)
		*rows = ROWS_LEAST;
	if (*beyond < ROWS_LEAST)
		*beyond = ROWS_LEAST;
}

/* Says which options to leave out to get all rows: those that hide rows here. */
static void say_without(struct selfmon_text *text,
			const struct selfmon_viewed *viewed)
{
	const char *const option[] = {
		viewed->left_out && viewed->by_depth ? "depth" : NULL,
		viewed->left_out && viewed->by_find ? "find" : NULL,
		viewed->folded && viewed->by_min_share ? "min-share" : NULL,
		viewed->folded && viewed->by_top ? "top" : NULL,
	};
	const char *before = viewed->page ? ", without " : " without ";
	size_t i;

	for (i = 0; i < sizeof(option) / sizeof(option[0]); i++) {
		if (!option[i])
			continue;
		selfmon_text_say(text, "%s%s", before, option[i]);
		before = " and ";
	}
}

void selfmon_text_folded(struct selfmon_text *text)
{
	const struct selfmon_viewed *const viewed = text->viewed;

	if (!viewed->folded && !viewed->left_out)
		return;
	selfmon_text_begin(text, "", 0);
	selfmon_text_say(text, "%zu of %zu rows",
			 viewed->rows - viewed->folded - viewed->left_out,
			 viewed->rows);
	if (viewed->folded)
		selfmon_text_say(text, "; \"others (N)\" is the sum of N rows");
	if (viewed->left_out)
		selfmon_text_say(text, "; %zu are not shown, by %s",
				 viewed->left_out,
				 !viewed->by_find    ? "depth"
				 : !viewed->by_depth ? "find"
						     : "depth or find");
	if (viewed->page || viewed->left_out)
		selfmon_text_say(text, "; all rows:");
	if (viewed->page)
		selfmon_text_say(text, " SELFMON_OUTPUT='text:-;top=0', or "
				 "selfmon report --top 0");
	if (viewed->page || viewed->left_out)
		say_without(text, viewed);
	selfmon_text_end(text);
}

void selfmon_text_other_threads(struct selfmon_text *text)
{
	size_t i;

	for (i = 0; i < text->report->rows; i++)
		if (selfmon_row_is_thread(text->report, i) &&
		    text->report->detail[i].thread.threads > 1)
			break;
	if (i == text->report->rows)
		return;
	selfmon_text_begin(text, "", 0);
	selfmon_text_say(text, "\"%s\" is the sum of threads that share their "
			 "statistics: with SELFMON_OUTPUT='text:-;threads' "
			 "from the start, each of the first %d threads has its "
			 "own",
			 text->report->row[i].name, SELFMON_THREADS_APART);
	selfmon_text_end(text);
}

/*
 * Prints the table of times of `hot`, a flat view, with the columns of this
 * text.
 */
static void put_hot(struct selfmon_text *text, struct selfmon_viewed *hot)
{
	struct selfmon_text table = *text;

	hot->shown = text->viewed->shown;
	table.viewed = hot;
	table.report = hot->report;
	table.located = NULL;
	putc('\n', text->stream);
	selfmon_text_begin(&table, "", 0);
	selfmon_text_say(&table, "Most self time, by name (all names: "
			 "SELFMON_OUTPUT='text:-;flat', or selfmon report "
			 "--flat):");
	selfmon_label_prepare(&table);
	table.label_columns = text->label_columns > table.label_columns
				      ? text->label_columns
				      : table.label_columns;
	selfmon_text_times(&table);
	free(table.located);
	text->marks = table.marks;
}

int selfmon_text_hot(struct selfmon_text *text)
{
	static const struct selfmon_view view = { .flat = true,
						  .limited = true,
						  .top = HOT_ROWS };
	struct selfmon_viewed hot;
	int error;

	if (!text->viewed->page || text->viewed->flat ||
	    !text->viewed->shown.time[SELFMON_SHOW_SELF])
		return 0;
	error = selfmon_view_make(&view, text->viewed->whole, 0, 0, &hot);
	if (!error)
		put_hot(text, &hot);
	selfmon_view_free(&hot);
	return error;
}
