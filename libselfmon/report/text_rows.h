/* SPDX-License-Identifier: MIT */
/* The rows shown in a text report, and notes on those that are not. */
#ifndef SELFMON_REPORT_TEXT_ROWS_H
#define SELFMON_REPORT_TEXT_ROWS_H

#include "report/text.h"

SELFMON_COLD
void selfmon_text_folded(struct selfmon_text *text);
SELFMON_COLD
void selfmon_text_other_threads(struct selfmon_text *text);
/* Returns 0 or -ENOMEM. */
SELFMON_COLD
int selfmon_text_hot(struct selfmon_text *text);
/* Returns limits for selfmon_view_make() so that all tables fit on a page. */
SELFMON_COLD
void selfmon_text_rows(const struct selfmon_view *view,
		       const struct selfmon_report *report, size_t *rows,
		       size_t *beyond);
/* Returns true if the row stands for other rows. */
static inline bool selfmon_text_is_others(const struct selfmon_report *report,
					  size_t i)
{
	return report->detail && report->detail[i].folded;
}

#endif
