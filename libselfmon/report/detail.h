/* SPDX-License-Identifier: MIT */
/* Details of rows that are needed to merge them. */
#ifndef SELFMON_REPORT_DETAIL_H
#define SELFMON_REPORT_DETAIL_H

#include "report/model.h"

struct selfmon_gather;

/*
 * Fills report->detail. Row i of the report must still be row i of gather: call
 * it when the rows have their values, and before they are put in tree order.
 * Returns 0 or -ENOMEM.
 */
int selfmon_report_detail(struct selfmon_report *report,
			  const struct selfmon_gather *gather,
			  const struct selfmon_clock *clock);

#endif
