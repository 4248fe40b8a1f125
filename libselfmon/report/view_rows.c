/* SPDX-License-Identifier: MIT */
/*
 * Makes the rows of a view. Below each parent there is at most one row "others
 * (N)", which is the sum of N folded rows. So the rows of a level still add up
 * to their parent.
 */
#include "report/view_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/add.h"
#include "report/apart.h"
#include "report/bucket.h"
#include "report/order.h"
#include "report/units.h"
#include "report/view_choose.h"
#include "report/view_columns.h"
#include "report/view_merge.h"

struct making {
	struct selfmon_view_choice choice;
	struct selfmon_report *to;
	double *key; /* for each row of `to`: its sort key */
};

static int32_t others_below(struct making *making, int32_t parent)
{
	struct selfmon_chosen *const around =
		parent < 0 ? making->choice.top : &making->choice.row[parent];
	struct selfmon_report *const to = making->to;
	struct selfmon_row *row;

	if (around->others)
		return around->others - 1;
	around->others = (int32_t)to->rows + 1;
	making->key[to->rows] = -INFINITY; /* sorts last */
	row = &to->row[to->rows++];
	row->name = "others";
	row->file = "";
	row->parent = parent < 0 ? -1 : around->place;
	row->exclusive_valid = true;
	return around->others - 1;
}

static int keep_row(struct making *making, size_t i)
{
	const struct selfmon_report *const from = making->choice.from;
	struct selfmon_chosen *const chosen = making->choice.row;
	struct selfmon_report *const to = making->to;
	const size_t at = to->rows++;
	struct selfmon_row_detail *const detail = &to->detail[at];
	const int32_t parent = from->row[i].parent;

	chosen[i].place = (int32_t)at;
	making->key[at] = chosen[i].key;
	to->row[at] = from->row[i];
	to->row[at].parent = parent < 0 ? -1 : chosen[parent].place;
	if (!from->detail)
		return 0;
	*detail = from->detail[i];
	detail->bucket = NULL;
	detail->buckets = 0;
	detail->unit = NULL;
	if (from->detail[i].bucket &&
	    selfmon_buckets_add(&detail->bucket, &detail->buckets,
				from->detail[i].bucket,
				from->detail[i].buckets))
		return -ENOMEM;
	return selfmon_row_units_add(detail, &from->detail[i]);
}

static void value_is_self(struct selfmon_quantity *value)
{
	value->net = value->net_exclusive;
	value->sum = value->exclusive > 0 ? (uint64_t)value->exclusive : 0;
}

/*
 * Replaces inclusive values by self values: in a flat view rows overlap each
 * other, so inclusive values do not add up.
 */
static void row_is_self(struct selfmon_row *row, size_t columns)
{
	size_t k;

	value_is_self(&row->time);
	for (k = 0; k < columns; k++)
		value_is_self(&row->counter[k]);
}

/*
 * Adds a folded row to the row "others". The inclusive values of a row contain
 * the values of all rows below. So for a row below another folded row, only the
 * self values are added. Units are dropped, since they mean different things in
 * different regions.
 */
static int fold_row(struct making *making, size_t i)
{
	const struct selfmon_report *const from = making->choice.from;
	struct selfmon_chosen *const chosen = making->choice.row;
	struct selfmon_row row = from->row[i];
	struct selfmon_row_detail folded;
	const bool below = row.parent >= 0 &&
			   chosen[row.parent].fate != SELFMON_ROW_KEPT;
	const int32_t at = below ? chosen[row.parent].place
				 : others_below(making, row.parent);
	struct selfmon_row_detail *const detail = &making->to->detail[at];

	chosen[i].place = at;
	detail->folded++;
	if (below) {
		selfmon_row_add_self(&making->to->row[at], &row, from->columns);
		return 0;
	}
	row.bytes = row.items = 0;
	memset(row.unit, 0, sizeof(row.unit));
	if (from->detail) {
		folded = from->detail[i];
		folded.unit = NULL;
	}
	if (making->choice.view->flat && !selfmon_row_is_thread(from, i))
		row_is_self(&row, from->columns);
	return selfmon_row_add(&making->to->row[at], detail, &row,
			       from->detail ? &folded : NULL, from->columns);
}

static int make_rows(struct making *making)
{
	const struct selfmon_chosen *const chosen = making->choice.row;
	struct selfmon_report *const to = making->to;
	int error = 0;
	size_t i;

	for (i = 0; i < making->choice.from->rows && !error; i++) {
		if (chosen[i].fate == SELFMON_ROW_KEPT)
			error = keep_row(making, i);
		else if (chosen[i].fate == SELFMON_ROW_FOLDED)
			error = fold_row(making, i);
	}
	for (i = 0; i < to->rows && !error; i++)
		if (to->detail[i].folded)
			error = selfmon_row_settle_sum(to, i);
	if (error || !to->rows)
		return error;
	return selfmon_report_order_by(to, making->key);
}

/*
 * Call when rows are in their final places, since the names of the rows
 * "others" point into row details.
 */
static void name_others(struct selfmon_report *to)
{
	size_t i;

	for (i = 0; i < to->rows; i++) {
		struct selfmon_row_detail *const detail = &to->detail[i];

		if (!detail->folded)
			continue;
		snprintf(detail->others, sizeof(detail->others), "others (%lu)",
			 (unsigned long)detail->folded);
		to->row[i].name = detail->others;
	}
}

/*
 * Counts the rows to make. Each shown row, and the top level, may have a row
 * "others" below it.
 */
static size_t count_rows(const struct selfmon_view_choice *choice,
			 struct selfmon_viewed *viewed)
{
	size_t count[] = { 0, 0, 0 }, i;

	for (i = 0; i < choice->from->rows; i++)
		count[choice->row[i].fate]++;
	viewed->folded = count[SELFMON_ROW_FOLDED];
	viewed->left_out = count[SELFMON_ROW_OUT];
	return viewed->folded ? 2 * count[SELFMON_ROW_KEPT] + 1
			      : count[SELFMON_ROW_KEPT];
}

static int select_rows(struct making *making, size_t rows,
		       struct selfmon_viewed *viewed)
{
	size_t count;
	int error;

	selfmon_view_keys(&making->choice);
	error = selfmon_view_choose(&making->choice, rows);
	if (error)
		return error;
	count = count_rows(&making->choice, viewed);
	making->to = selfmon_report_empty(making->choice.from, count);
	making->key = calloc(count + 1, sizeof(*making->key));
	if (!making->to || !making->key)
		return -ENOMEM;
	error = make_rows(making);
	name_others(making->to);
	return error;
}

static struct selfmon_report *
selected(const struct selfmon_view *view, const struct selfmon_report *from,
	 size_t rows, struct selfmon_viewed *viewed)
{
	struct selfmon_chosen *const chosen =
		calloc(from->rows + 1, sizeof(*chosen));
	struct making making = { .choice = { view, from, chosen, chosen + 1 } };
	const int error = chosen ? select_rows(&making, rows, viewed) : -ENOMEM;

	free(chosen);
	free(making.key);
	if (!error)
		return making.to;
	selfmon_report_free_empty(making.to);
	return NULL;
}

/* ---- a view ------------------------------------------------------------- */

static bool selects(const struct selfmon_view *view, size_t rows,
		    const struct selfmon_report *report)
{
	return view->flat || view->collapse || view->depth ||
	       view->min_share > 0 ||
	       view->sort[0] || view->find[0] ||
	       view->columns[0] || rows ||
	       (view->top && view->top < report->rows);
}

int selfmon_view_make(const struct selfmon_view *view,
		      const struct selfmon_report *report, size_t rows,
		      size_t beyond, struct selfmon_viewed *viewed)
{
	struct selfmon_report *merged = NULL;

	if (view->threads && selfmon_report_by_thread(report))
		report = selfmon_report_by_thread(report);
	*viewed = (struct selfmon_viewed){ .whole = report, .report = report,
					   .flat = view->flat,
					   .by_depth = view->depth,
					   .by_find = view->find[0],
					   .by_min_share = view->min_share > 0,
					   .by_top = view->top };
	selfmon_view_show(view, report, &viewed->shown);
	if (report->rows && (view->flat || view->collapse)) {
		merged = selfmon_view_merge(report, view->flat, view->threads);
		if (!merged)
			return -ENOMEM;
		viewed->report = viewed->made = merged;
	}
	viewed->rows = viewed->report->rows;
	if (viewed->rows <= rows)
		rows = 0;
	else if (rows)
		rows = beyond;
	viewed->page = rows > 0;
	if (!viewed->rows || !selects(view, rows, viewed->report))
		return 0;
	viewed->made = selected(view, viewed->report, rows, viewed);
	viewed->report = viewed->made;
	selfmon_report_free_empty(merged);
	return viewed->made ? 0 : -ENOMEM;
}

void selfmon_view_free(struct selfmon_viewed *viewed)
{
	selfmon_report_free_empty(viewed->made);
}
