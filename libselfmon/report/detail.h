/* SPDX-License-Identifier: MIT */
/* Details of rows that are needed to merge them. */
#ifndef SELFMON_REPORT_DETAIL_H
#define SELFMON_REPORT_DETAIL_H

#include "report/model.h"

struct selfmon_gather;

/* For settled rows not in tree order yet. Returns 0 or -ENOMEM. */
int selfmon_report_detail(struct selfmon_report *report,
			  const struct selfmon_gather *gather,
			  const struct selfmon_clock *clock);

#endif
