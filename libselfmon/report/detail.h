/* SPDX-License-Identifier: MIT */
/*
 * Details of rows: their histograms, their units, and the data that a merge of
 * reports needs.
 */
#ifndef SELFMON_REPORT_DETAIL_H
#define SELFMON_REPORT_DETAIL_H

#include "report/model.h"

struct selfmon_gather;

/*
 * Fills in report->detail. Call it when the rows have their values but are
 * still in the order in which they were gathered: row i of the report must be
 * row i of gather. Returns 0 or -ENOMEM.
 */
int selfmon_report_detail(struct selfmon_report *report,
			  const struct selfmon_gather *gather,
			  const struct selfmon_clock *clock);

#endif
