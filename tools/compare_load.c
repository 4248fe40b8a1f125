/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "compare_load.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "compare_alike.h"
#include "progress.h"
#include "tool.h"

struct load {
	struct compare *compare;
	void *by_path; /* tsearch(3) tree of regions */
	size_t runs;
	/* Members about the run that is being added. */
	const struct selfmon_report *report;
	char **path;   /* of each row */
	/*
	 * Indices of the run's rows. Parents come first; rows with the same
	 * name are sorted by file and line.
	 */
	size_t *order;
	size_t run;
};

static int no_memory(void)
{
	tool_fail("compare", "no memory");
	return TOOL_USAGE;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct compare_region *)a)->path,
		      ((const struct compare_region *)b)->path);
}

static int by_place(const void *a, const void *b, void *rows)
{
	const struct selfmon_row *const row = rows;
	const struct selfmon_row *const x = &row[*(const size_t *)a];
	const struct selfmon_row *const y = &row[*(const size_t *)b];
	int order = (x->depth > y->depth) - (x->depth < y->depth);

	if (!order)
		order = strcmp(x->name, y->name);
	if (!order)
		order = strcmp(x->file, y->file);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Finds or creates the region with this path. Returns NULL if out of memory. */
static struct compare_region *find(struct load *load, char *path)
{
	struct compare *const compare = load->compare;
	struct compare_region *region, wanted = { .path = path };
	void *const found = tfind(&wanted, &load->by_path, by_path);

	if (found)
		return *(struct compare_region **)found;
	if (compare->regions == compare->room) {
		const size_t room = compare->room * 2 + 64;
		void *const more = realloc(compare->region,
					   room * sizeof(*compare->region));

		if (!more)
			return NULL;
		compare->region = more;
		compare->room = room;
	}
	region = calloc(1, sizeof(*region));
	if (!region)
		return NULL;
	compare->region[compare->regions++] = region;
	region->path = strdup(path);
	region->row = calloc(load->runs, sizeof(*region->row));
	region->detail = calloc(load->runs, sizeof(*region->detail));
	if (!region->path || !region->row || !region->detail ||
	    !tsearch(region, &load->by_path, by_path))
		return NULL;
	return region;
}

/*
 * Returns the path "parent\037name". The second row with the same name below
 * the parent gets the suffix "#2", and so on.
 */
static char *path_of(const struct load *load, const struct selfmon_row *row,
		     size_t turn)
{
	char *path = NULL, suffix[32] = "";
	const char *const above =
		row->parent < 0 ? "" : load->path[row->parent];

	if (turn > 1)
		snprintf(suffix, sizeof(suffix), "#%zu", turn);
	if (asprintf(&path, "%s%c%s%s", above, COMPARE_SEPARATOR, row->name,
		     suffix) < 0)
		return NULL;
	return path;
}

static int add_row(struct load *load, size_t i)
{
	const struct selfmon_row *const row = &load->report->row[i];
	struct compare_region *region;
	size_t turn = 0;

	do {
		free(load->path[i]);
		load->path[i] = path_of(load, row, ++turn);
		region = load->path[i] ? find(load, load->path[i]) : NULL;
		if (!region)
			return no_memory();
	} while (region->row[load->run]);
	region->name = region->path + 1 +
		       (row->parent < 0 ? 0 : strlen(load->path[row->parent]));
	region->depth = row->depth;
	region->row[load->run] = row;
	if (load->report->detail)
		region->detail[load->run] = &load->report->detail[i];
	return 0;
}

static int add_run(struct load *load)
{
	const size_t rows = load->report->rows;
	int status = 0;
	size_t i;

	load->path = calloc(rows + 1, sizeof(*load->path));
	load->order = calloc(rows + 1, sizeof(*load->order));
	if (!load->path || !load->order)
		status = no_memory();
	for (i = 0; !status && i < rows; i++)
		load->order[i] = i;
	if (!status)
		qsort_r(load->order, rows, sizeof(*load->order), by_place,
			load->report->row);
	for (i = 0; !status && i < rows; i++)
		status = add_row(load, load->order[i]);
	for (i = 0; load->path && i < rows; i++)
		free(load->path[i]);
	free(load->path);
	free(load->order);
	return status;
}

static void keep(void *node)
{
	(void)node;
}

static int add_all(struct compare *compare)
{
	struct load load = { .compare = compare };
	int status = 0;

	load.runs = compare->side[0].count + compare->side[1].count;
	for (; !status && load.run < load.runs; load.run++) {
		load.report = compare->file[load.run].report;
		status = add_run(&load);
	}
	tdestroy(load.by_path, keep);
	return status;
}

int compare_load(struct compare *compare, char **paths)
{
	const size_t runs = compare->side[0].count + compare->side[1].count;
	int status = 0;
	size_t i;

	compare->file = calloc(runs, sizeof(*compare->file));
	if (!compare->file)
		return no_memory();
	progress_begin("reading reports", runs);
	for (i = 0; i < runs; i++) {
		progress_at(i);
		if (report_file_open(&compare->file[i], paths[i], false))
			status = TOOL_USAGE;
	}
	progress_end();
	if (!status)
		status = compare_check_alike(compare);
	return status ? status : add_all(compare);
}

static int by_total(const void *a, const void *b)
{
	const double x = (*(const struct selfmon_report *const *)a)->total_ns;
	const double y = (*(const struct selfmon_report *const *)b)->total_ns;

	return compare_ascending(&x, &y);
}

const struct selfmon_report *compare_typical(const struct compare *compare,
					     size_t side)
{
	const struct compare_side *const of = &compare->side[side];
	const struct selfmon_report **const order =
		calloc(of->count + 1, sizeof(*order));
	const struct selfmon_report *typical = compare->file[of->first].report;
	size_t i;

	for (i = 0; order && i < of->count; i++)
		order[i] = compare->file[of->first + i].report;
	if (order) {
		qsort(order, of->count, sizeof(*order), by_total);
		typical = order[(of->count - 1) / 2];
	}
	free(order);
	return typical;
}

static void free_region(struct compare_region *region)
{
	free(region->path);
	free(region->row);
	free(region->detail);
	free(region);
}

void compare_free(struct compare *compare)
{
	const size_t runs = compare->side[0].count + compare->side[1].count;
	size_t i;

	for (i = 0; i < compare->regions; i++)
		free_region(compare->region[i]);
	free(compare->region);
	for (i = 0; compare->file && i < runs; i++)
		report_file_close(&compare->file[i]);
	free(compare->file);
}
