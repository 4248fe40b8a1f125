/* SPDX-License-Identifier: MIT */
/* The columns of a view. */
#ifndef SELFMON_REPORT_VIEW_COLUMNS_H
#define SELFMON_REPORT_VIEW_COLUMNS_H

#include "report/view.h"

extern const char selfmon_time_name[SELFMON_SHOW_COUNT][8];
/*
 * Sets `name` to the name of column i. The numbering begins with the columns of
 * time, followed by the events and the metrics. Returns false if there is no
 * such column.
 */
SELFMON_COLD
bool selfmon_view_column_name(const struct selfmon_report *report,
			      const struct selfmon_ratios *ratios, size_t i,
			      char name[SELFMON_METRIC_NAME_SIZE]);
SELFMON_COLD
void selfmon_view_show(const struct selfmon_view *view,
		       const struct selfmon_report *report,
		       struct selfmon_shown *shown);
/*
 * Drops the events that JSON and CSV do not need: those that are neither shown
 * nor operands of a metric that is shown.
 */
SELFMON_COLD
void selfmon_view_drop_columns(struct selfmon_report *made,
			       const struct selfmon_shown *shown);
struct selfmon_view_choice;
SELFMON_COLD
void selfmon_view_keys(const struct selfmon_view_choice *choice);

#endif
