/* SPDX-License-Identifier: MIT */
/*
 * Chooses the rows of a view. Rows with small shares and rows beyond a limit
 * are folded into rows "others". Rows that are too deep or do not match a
 * search are left out.
 */
#include "report/view_choose.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>

/*
 * Leaves out all rows except those that match the search, and their ancestors.
 */
static int leave_out_unfound(const struct selfmon_view_choice *choice)
{
	const struct selfmon_row *const row = choice->from->row;
	regex_t regex;
	int32_t at;
	size_t i;

	if (regcomp(&regex, choice->view->find, REG_EXTENDED | REG_NOSUB))
		return -ENOMEM;
	for (i = 0; i < choice->from->rows; i++)
		choice->row[i].fate = SELFMON_ROW_OUT;
	for (i = 0; i < choice->from->rows; i++) {
		if (regexec(&regex, row[i].name, 0, NULL, 0))
			continue;
		for (at = (int32_t)i;
		     at >= 0 && choice->row[at].fate != SELFMON_ROW_KEPT;
		     at = row[at].parent)
			choice->row[at].fate = SELFMON_ROW_KEPT;
	}
	regfree(&regex);
	return 0;
}

/*
 * Leaves out rows that are too deep, and folds rows with a small share of the
 * time. A row below a folded row is folded too; this works in one pass, since
 * parents come first.
 */
static void fold_small(const struct selfmon_view_choice *choice)
{
	const double least = choice->view->min_share * choice->from->total_ns;
	const struct selfmon_row *const row = choice->from->row;
	size_t i;

	for (i = 0; i < choice->from->rows; i++) {
		const int32_t parent = row[i].parent;

		if (choice->view->depth && row[i].depth >= choice->view->depth)
			choice->row[i].fate = SELFMON_ROW_OUT;
		if (choice->row[i].fate != SELFMON_ROW_KEPT)
			continue;
		if (row[i].time.net < least ||
		    (parent >= 0 &&
		     choice->row[parent].fate == SELFMON_ROW_FOLDED))
			choice->row[i].fate = SELFMON_ROW_FOLDED;
	}
}

/* ---- the first rows ------------------------------------------------------ */

struct rank {
	double key;
	size_t row;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->key > y->key || x->key < y->key)
		return x->key > y->key ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/*
 * The number of rows shown so far, and of rows "others" that are needed for the
 * rows not shown.
 */
struct made {
	size_t rows, others;
};

static struct selfmon_chosen *around_row(const struct selfmon_view_choice *choice,
					 size_t i)
{
	const int32_t parent = choice->from->row[i].parent;

	return parent < 0 ? choice->top : &choice->row[parent];
}

static void show_row(const struct selfmon_view_choice *choice, size_t i,
		     struct made *made)
{
	struct selfmon_chosen *const around = around_row(choice, i);

	choice->row[i].fate = SELFMON_ROW_KEPT;
	made->rows++;
	made->others += choice->row[i].hidden > 0;
	around->hidden--;
	made->others -= around->fate == SELFMON_ROW_KEPT && !around->hidden;
}

static void hide_row(const struct selfmon_view_choice *choice, size_t i,
		     struct made *made)
{
	struct selfmon_chosen *const around = around_row(choice, i);

	choice->row[i].fate = SELFMON_ROW_FOLDED;
	made->rows--;
	made->others -= choice->row[i].hidden > 0;
	made->others += around->fate == SELFMON_ROW_KEPT && !around->hidden;
	around->hidden++;
}

/*
 * Shows a row and its ancestors. Returns how many of them were not shown
 * before.
 */
static size_t show_path(const struct selfmon_view_choice *choice, size_t i,
			struct made *made)
{
	int32_t at = (int32_t)i;
	size_t length = 0;

	for (; at >= 0 && choice->row[at].fate != SELFMON_ROW_KEPT;
	     at = choice->from->row[at].parent, length++)
		show_row(choice, (size_t)at, made);
	return length;
}

/*
 * If only one row of a parent is folded, shows that row: its row "others" would
 * take the same space.
 */
static void show_alone(const struct selfmon_view_choice *choice,
		       const struct rank *rank, size_t ranks, struct made *made)
{
	size_t i;

	for (i = 0; i < ranks; i++) {
		const size_t row = rank[i].row;
		const struct selfmon_chosen *around = around_row(choice, row);

		if (choice->row[row].fate == SELFMON_ROW_FOLDED &&
		    !choice->row[row].hidden && around->hidden == 1 &&
		    around->fate == SELFMON_ROW_KEPT)
			show_row(choice, row, made);
	}
}

/*
 * Shows the largest rows first, each with its ancestors, as long as they fit.
 * If rows is not 0, it limits all rows including the rows "others". Otherwise
 * the view's option `top` limits the rows without "others".
 */
static void show_ranked(const struct selfmon_view_choice *choice,
			const struct rank *rank, size_t ranks, size_t rows)
{
	const size_t most = rows ? rows : choice->view->top;
	struct made made = { .others = choice->top->hidden > 0 };
	size_t i, length;

	for (i = 0; i < ranks; i++) {
		int32_t at = (int32_t)rank[i].row;

		length = show_path(choice, rank[i].row, &made);
		if (made.rows + (rows ? made.others : 0) <= most)
			continue;
		for (; length--; at = choice->from->row[at].parent)
			hide_row(choice, (size_t)at, &made);
		/* A smaller row may still fit, if it needs fewer ancestors. */
		if (made.rows + (rows ? made.others : 0) >= most)
			break;
	}
	if (rows)
		show_alone(choice, rank, ranks, &made);
}

static int fold_beyond(const struct selfmon_view_choice *choice, size_t rows)
{
	struct rank *const rank = calloc(choice->from->rows, sizeof(*rank));
	size_t ranks = 0, i;

	if (!rank)
		return -ENOMEM;
	for (i = 0; i < choice->from->rows; i++) {
		struct selfmon_chosen *const row = &choice->row[i];

		if (row->fate == SELFMON_ROW_OUT)
			continue;
		around_row(choice, i)->hidden++;
		if (row->fate == SELFMON_ROW_KEPT)
			rank[ranks++] = (struct rank){ row->key, i };
		row->fate = SELFMON_ROW_FOLDED;
	}
	qsort(rank, ranks, sizeof(*rank), compare_ranks);
	show_ranked(choice, rank, ranks, rows);
	free(rank);
	return 0;
}

int selfmon_view_choose(const struct selfmon_view_choice *choice, size_t rows)
{
	const int error = choice->view->find[0] ? leave_out_unfound(choice) : 0;

	if (error)
		return error;
	fold_small(choice);
	return rows || choice->view->top ? fold_beyond(choice, rows) : 0;
}
