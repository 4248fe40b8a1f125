/* SPDX-License-Identifier: MIT */
/* Chooses the rows of a text report, and writes notes about the others. */
#ifndef SELFMON_REPORT_TEXT_ROWS_H
#define SELFMON_REPORT_TEXT_ROWS_H

#include "report/text.h"

SELFMON_COLD
void selfmon_text_folded(struct selfmon_text *text);
SELFMON_COLD
void selfmon_text_other_threads(struct selfmon_text *text);
/* Prints the list of rows with the most self time. Returns 0 or -ENOMEM. */
SELFMON_COLD
int selfmon_text_hot(struct selfmon_text *text);
/*
 * Computes limits for selfmon_view_make(), so that all tables of regions fit on
 * a page together. The limits are at least 10 rows for each table, even if the
 * tables then do not fit.
 */
SELFMON_COLD
void selfmon_text_rows(const struct selfmon_view *view,
		       const struct selfmon_report *report, size_t *rows,
		       size_t *beyond);

static inline bool selfmon_text_is_others(const struct selfmon_report *report,
					  size_t i)
{
	return report->detail && report->detail[i].folded;
}

#endif
