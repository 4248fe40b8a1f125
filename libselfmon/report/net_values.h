/* SPDX-License-Identifier: MIT */
/* Converts recorded values to those shown. */
#ifndef SELFMON_REPORT_NET_VALUES_H
#define SELFMON_REPORT_NET_VALUES_H

#include "report/model.h"

struct selfmon_calibration;
struct selfmon_gather;

/*
 * Converts recorded values to those shown: ns, exclusive values, percentiles,
 * overhead subtracted, rows in tree order. Returns 0 or -ENOMEM.
 */
int selfmon_report_settle(struct selfmon_report *report,
			  const struct selfmon_gather *gather,
			  const struct selfmon_calibration *calibration,
			  const struct selfmon_clock *clock);
/* Same, but rows stay in the order they were gathered: parents first. */
int selfmon_report_settle_values(struct selfmon_report *report,
				 const struct selfmon_gather *gather,
				 const struct selfmon_calibration *calibration,
				 const struct selfmon_clock *clock);

#endif
