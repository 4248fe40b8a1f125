/* SPDX-License-Identifier: MIT */
/* The rows of a view. */
#ifndef SELFMON_REPORT_VIEW_ROWS_H
#define SELFMON_REPORT_VIEW_ROWS_H

#include "report/view.h"

/*
 * Makes the rows of a view. If there would be more than `rows` rows, makes at
 * most `beyond` rows, including the rows "others". If `rows` is 0, only the
 * view's options limit the number of rows. The view must be freed before its
 * report. Returns 0 or -ENOMEM.
 */
SELFMON_COLD
int selfmon_view_make(const struct selfmon_view *view,
		      const struct selfmon_report *report, size_t rows,
		      size_t beyond, struct selfmon_viewed *viewed);
SELFMON_COLD
void selfmon_view_free(struct selfmon_viewed *viewed);

#endif
