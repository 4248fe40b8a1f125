/* SPDX-License-Identifier: MIT */
/* The detached spans of a report. */
#ifndef SELFMON_REPORT_ASYNC_ROWS_H
#define SELFMON_REPORT_ASYNC_ROWS_H

#include "report/model.h"

struct selfmon_gather;

/*
 * Overwrites *async with an empty report for the spans of `report`. Does not
 * free the former contents of *async. The caller frees the new report with
 * selfmon_report_free_empty().
 */
void selfmon_report_begin_async(struct selfmon_report *async,
				const struct selfmon_report *report);
/*
 * Makes report->async from the gathered spans, if there are any. Returns 0 or
 * -ENOMEM.
 */
int selfmon_report_take_async(struct selfmon_report *report,
			      const struct selfmon_gather *gather,
			      const struct selfmon_clock *clock);

#endif
