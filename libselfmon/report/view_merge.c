/* SPDX-License-Identifier: MIT */
/*
 * Merges regions of the same name into one row. Merges all of them in a flat
 * view. In a tree, merges regions with the same parent, and regions inside each
 * other (recursion).
 *
 * Visits, self values and the times of single visits cover all merged nodes.
 * Inclusive values count nested visits once: the value of a visit includes
 * visits of the same name inside it. In a tree the nested row moves up into the
 * outer row. The nested row's value is subtracted from the rows in between, so
 * that each row is still the sum of its self value and its children.
 */
#include "report/view_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/add.h"
#include "report/apart.h"
#include "report/visit_times.h"

struct view_merge {
	const struct selfmon_report *from;
	struct selfmon_report *to;
	uint32_t *slot;   /* hash table of rows by parent and name: index + 1 */
	size_t slots;
	int32_t *place;   /* for each row of `from`: its row in `to` */
	int32_t *only;    /* by row of `to`: its source + 1; -1: several */
	bool flat, threads;
};

static size_t hash_of_name(int32_t parent, const char *s)
{
	uint64_t hash = (uint32_t)parent;

	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 32);
}

static bool is_named(const struct selfmon_row *row, int32_t parent,
		     const char *name)
{
	return row->parent == parent && !strcmp(row->name, name);
}

static int32_t new_row(struct selfmon_report *to, int32_t parent,
		       const struct selfmon_row *from)
{
	struct selfmon_row *const row = &to->row[to->rows];

	row->name = from->name;
	row->file = from->file;
	row->line = from->line;
	row->parent = parent;
	row->depth = parent < 0 ? 0 : to->row[parent].depth + 1;
	row->exclusive_valid = true;
	return (int32_t)to->rows++;
}

/* Finds or makes the row with this name below `parent`. */
static int32_t row_below(struct view_merge *merge, int32_t parent,
			 const struct selfmon_row *from)
{
	struct selfmon_report *const to = merge->to;
	size_t k = hash_of_name(parent, from->name) & (merge->slots - 1);

	for (; merge->slot[k]; k = (k + 1) & (merge->slots - 1))
		if (is_named(&to->row[merge->slot[k] - 1], parent, from->name))
			return (int32_t)merge->slot[k] - 1;
	merge->slot[k] = (uint32_t)to->rows + 1;
	return new_row(to, parent, from);
}

/*
 * Finds the enclosing row with this name; after merging there is at most one.
 * The row of a thread does not count, even if it has this name.
 */
static int32_t row_around(const struct view_merge *merge, int32_t at,
			  const char *name)
{
	const struct selfmon_row *const row = merge->to->row;

	while (at >= 0 && (strcmp(row[at].name, name) != 0 ||
			   selfmon_row_is_thread(merge->to, (size_t)at)))
		at = row[at].parent;
	return at;
}

/*
 * Returns the parent of a top-level row in a flat view: the thread's row, or
 * -1.
 */
static int32_t thread_around(const struct view_merge *merge, int32_t at)
{
	while (at >= 0 && !selfmon_row_is_thread(merge->to, (size_t)at))
		at = merge->to->row[at].parent;
	return at;
}

static int32_t thread_place(struct view_merge *merge, size_t i)
{
	const int32_t place =
		new_row(merge->to, -1, &merge->from->row[i]);

	merge->to->detail[place].thread = merge->from->detail[i].thread;
	return place;
}

static int32_t find_place(struct view_merge *merge, size_t i)
{
	const struct selfmon_row *const row = &merge->from->row[i];
	int32_t parent, around;

	if (selfmon_row_is_thread(merge->from, i))
		return thread_place(merge, i);
	parent = row->parent < 0 ? -1 : merge->place[row->parent];
	if (merge->flat)
		return row_below(merge, thread_around(merge, parent), row);
	around = row_around(merge, parent, row->name);
	return around >= 0 ? around : row_below(merge, parent, row);
}

/*
 * Adds a row to its merged row. If the merged regions have different places in
 * the source, the merged row has no file and line.
 */
static int add_to_place(struct view_merge *merge, size_t i)
{
	const struct selfmon_row *const from = &merge->from->row[i];
	const int32_t place = merge->place[i];
	struct selfmon_row *const to = &merge->to->row[place];

	merge->only[place] = merge->only[place] ? -1 : (int32_t)i + 1;
	if (to->line != from->line || strcmp(to->file, from->file) != 0) {
		to->file = "";
		to->line = 0;
	}
	return selfmon_row_add(to, &merge->to->detail[place], from,
			       merge->from->detail ? &merge->from->detail[i]
						   : NULL,
			       merge->from->columns);
}

/*
 * Returns true if the row's inclusive value is already part of the merged row's
 * value. In a flat view this is the case if an ancestor has the same merged
 * row. In a tree it is the case unless the row's merged row is directly below
 * the merged row of the row's parent.
 */
static bool is_nested(const struct view_merge *merge, size_t i)
{
	const struct selfmon_row *const row = merge->from->row;
	int32_t at = row[i].parent;

	if (!merge->flat)
		return at >= 0 && merge->to->row[merge->place[i]].parent !=
					  merge->place[at];
	while (at >= 0 && merge->place[at] != merge->place[i])
		at = row[at].parent;
	return at >= 0;
}

/*
 * Subtracts the row's inclusive value from the merged row and, in a tree, from
 * the rows in between.
 */
static void take_nested_out(struct view_merge *merge, size_t i)
{
	const struct selfmon_row *const row = &merge->from->row[i];
	const size_t columns = merge->from->columns;
	const int32_t place = merge->place[i];
	int32_t at = merge->place[row->parent];

	for (; !merge->flat && at != place; at = merge->to->row[at].parent)
		selfmon_row_take_out(&merge->to->row[at], row, columns);
	selfmon_row_take_out(&merge->to->row[place], row, columns);
}

/* Sets the times of single visits of merged rows that have only one source. */
static void keep_visit_times(struct view_merge *merge)
{
	size_t i;

	for (i = 0; i < merge->to->rows; i++) {
		struct selfmon_row *const to = &merge->to->row[i];
		const struct selfmon_row *from;

		if (merge->only[i] < 0)
			continue;
		from = &merge->from->row[merge->only[i] - 1];
		to->p50_ns = from->p50_ns;
		to->p90_ns = from->p90_ns;
		to->p99_ns = from->p99_ns;
		to->min_ns = from->min_ns;
		to->max_ns = from->max_ns;
		to->unsure = from->unsure;
		to->own_ns = from->own_ns;
	}
}

/* A flat view of all threads together has no rows of threads. */
static bool is_left_out(const struct view_merge *merge, size_t i)
{
	return merge->flat && !merge->threads &&
	       selfmon_row_is_thread(merge->from, i);
}

static int merge_rows(struct view_merge *merge)
{
	size_t i;

	for (i = 0; i < merge->from->rows; i++) {
		merge->place[i] = -1;
		if (is_left_out(merge, i))
			continue;
		merge->place[i] = find_place(merge, i);
		if (add_to_place(merge, i))
			return -ENOMEM;
	}
	for (i = 0; i < merge->to->rows; i++)
		if (merge->only[i] < 0)
			selfmon_row_added(&merge->to->row[i],
					  &merge->to->detail[i],
					  merge->to->columns);
	if (selfmon_report_visit_times(merge->to))
		return -ENOMEM;
	keep_visit_times(merge);
	for (i = 0; i < merge->from->rows; i++)
		if (is_nested(merge, i))
			take_nested_out(merge, i);
	return 0;
}

struct selfmon_report *
selfmon_view_merge(const struct selfmon_report *report, bool flat,
		   bool threads)
{
	struct view_merge merge = {
		.from = report, .slots = 4, .flat = flat, .threads = threads
	};
	int error = -ENOMEM;

	while (merge.slots < 2 * report->rows)
		merge.slots *= 2;
	merge.to = selfmon_report_empty(report, report->rows);
	merge.slot = calloc(merge.slots, sizeof(*merge.slot));
	merge.place = calloc(report->rows + 1, sizeof(*merge.place));
	merge.only = calloc(report->rows + 1, sizeof(*merge.only));
	if (merge.to && merge.slot && merge.place && merge.only)
		error = merge_rows(&merge);
	free(merge.slot);
	free(merge.place);
	free(merge.only);
	if (!error)
		return merge.to;
	selfmon_report_free_empty(merge.to);
	return NULL;
}
