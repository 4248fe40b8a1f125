/* SPDX-License-Identifier: MIT */
/* Finds columns by name: columns to show, and the column to sort by. */
#include "report/view_columns.h"

#include <math.h>
#include <string.h>

#include "report/apart.h"
#include "report/columns.h"
#include "report/metric_name.h"
#include "report/metric_value.h"
#include "report/view_choose.h"

const char selfmon_time_name[SELFMON_SHOW_COUNT][8] = {
	[SELFMON_SHOW_VISITS] = "visits", [SELFMON_SHOW_TOTAL] = "total",
	[SELFMON_SHOW_SHARE] = "share",	  [SELFMON_SHOW_SELF] = "self",
	[SELFMON_SHOW_MEAN] = "mean",	  [SELFMON_SHOW_P50] = "p50",
	[SELFMON_SHOW_P90] = "p90",	  [SELFMON_SHOW_P99] = "p99",
	[SELFMON_SHOW_MIN] = "min",	  [SELFMON_SHOW_MAX] = "max",
};

bool selfmon_view_column_name(const struct selfmon_report *report,
			      const struct selfmon_ratios *ratios, size_t i,
			      char name[SELFMON_METRIC_NAME_SIZE])
{
	const char *known;

	if (i < SELFMON_SHOW_COUNT)
		known = selfmon_time_name[i];
	else if (i - SELFMON_SHOW_COUNT < report->columns)
		known = report->column[i - SELFMON_SHOW_COUNT].name;
	else
		known = NULL;
	if (known) {
		memcpy(name, known, strlen(known) + 1);
		return true;
	}
	i -= SELFMON_SHOW_COUNT + report->columns;
	if (i >= ratios->count)
		return false;
	selfmon_ratio_name(report, &ratios->ratio[i], name);
	return true;
}

static bool is_in_list(const char *list, const char *name)
{
	const size_t length = strlen(name);

	for (;; list++) {
		const size_t n = strcspn(list, "+");

		if (n == length && !memcmp(list, name, length))
			return true;
		list += n;
		if (!*list)
			return false;
	}
}

static bool *shown_at(struct selfmon_shown *shown,
		      const struct selfmon_report *report, size_t i)
{
	if (i < SELFMON_SHOW_COUNT)
		return &shown->time[i];
	i -= SELFMON_SHOW_COUNT;
	if (i < report->columns)
		return &shown->column[i];
	return &shown->ratio[i - report->columns];
}

void selfmon_view_show(const struct selfmon_view *view,
		       const struct selfmon_report *report,
		       struct selfmon_shown *shown)
{
	char name[SELFMON_METRIC_NAME_SIZE];
	struct selfmon_ratios ratios;
	size_t i;

	memset(shown, !view->columns[0], sizeof(*shown));
	if (!view->columns[0])
		return;
	selfmon_ratios_find(report, &ratios);
	for (i = 0; selfmon_view_column_name(report, &ratios, i, name); i++)
		*shown_at(shown, report, i) = is_in_list(view->columns, name);
}

static double time_of_row(const struct selfmon_row *row, size_t column)
{
	switch (column) {
	case SELFMON_SHOW_VISITS: return (double)row->visits;
	case SELFMON_SHOW_SELF:
		return row->exclusive_valid ? row->time.net_exclusive : 0;
	case SELFMON_SHOW_MEAN:
		return row->visits ? row->time.net / (double)row->visits : 0;
	case SELFMON_SHOW_P50: return (double)row->p50_ns;
	case SELFMON_SHOW_P90: return (double)row->p90_ns;
	case SELFMON_SHOW_P99: return (double)row->p99_ns;
	case SELFMON_SHOW_MIN: return (double)row->min_ns;
	case SELFMON_SHOW_MAX: return (double)row->max_ns;
	default: return row->time.net;
	}
}

static double value_of_row(const struct selfmon_report *report,
			   const struct selfmon_ratios *ratios,
			   const struct selfmon_row *row, size_t i)
{
	struct selfmon_ratio_value value;

	if (i < SELFMON_SHOW_COUNT)
		return time_of_row(row, i);
	i -= SELFMON_SHOW_COUNT;
	if (i < report->columns)
		return row->counter[i].verdict == SELFMON_NOT_COUNTED
			       ? (double)NAN
			       : row->counter[i].net;
	selfmon_ratio_of(report, row, &ratios->ratio[i - report->columns],
			 &value);
	return value.value;
}

/*
 * Computes the keys by which rows are sorted: by default the total time in a
 * tree, and the self time in a flat view. If the requested column does not
 * exist, all keys are equal, and rows are sorted by name. Threads have no self
 * time, so by default they are sorted by total time.
 */
void selfmon_view_keys(const struct selfmon_view_choice *choice)
{
	const struct selfmon_report *const report = choice->from;
	const struct selfmon_view *const view = choice->view;
	const char *const sort = view->sort[0] ? view->sort
				 : view->flat  ? "self"
					       : "total";
	char name[SELFMON_METRIC_NAME_SIZE];
	struct selfmon_ratios ratios;
	size_t column = 0, i;
	bool known;

	selfmon_ratios_find(report, &ratios);
	while ((known = selfmon_view_column_name(report, &ratios, column,
						 name)) &&
	       strcmp(name, sort) != 0)
		column++;
	for (i = 0; known && i < report->rows; i++) {
		const bool is_thread = selfmon_row_is_thread(report, i);
		const double key = value_of_row(
			report, &ratios, &report->row[i],
			is_thread && !view->sort[0] ? SELFMON_SHOW_TOTAL
						    : column);

		/* Rows without a value come last, but above "others". */
		choice->row[i].key = isfinite(key) ? key : -1e300;
	}
}

void selfmon_view_drop_columns(struct selfmon_report *made,
			       const struct selfmon_shown *shown)
{
	bool keep[SELFMON_MAX_COUNTERS];
	struct selfmon_ratios ratios;
	size_t i;

	memcpy(keep, shown->column, sizeof(keep));
	selfmon_ratios_find(made, &ratios);
	for (i = 0; i < ratios.count; i++) {
		const struct selfmon_ratio *const ratio = &ratios.ratio[i];

		if (!shown->ratio[i])
			continue;
		if (ratio->of >= 0)
			keep[ratio->of] = true;
		if (ratio->by >= 0)
			keep[ratio->by] = true;
	}
	selfmon_report_columns_keep(made, keep);
}
