/* SPDX-License-Identifier: MIT */
/* Converts recorded values to those shown. */
#ifndef SELFMON_REPORT_NET_VALUES_H
#define SELFMON_REPORT_NET_VALUES_H

#include "report/model.h"

struct selfmon_calibration;
struct selfmon_gather;

/*
 * Converts recorded values to those shown: computes ns, exclusive values and
 * percentiles, subtracts overhead, and puts rows in tree order. Returns 0 or
 * -ENOMEM.
 */
int selfmon_report_settle(struct selfmon_report *report,
			  const struct selfmon_gather *gather,
			  const struct selfmon_calibration *calibration,
			  const struct selfmon_clock *clock);
/*
 * The same, but keeps the rows in the order in which they were gathered:
 * parents first.
 */
int selfmon_report_settle_values(struct selfmon_report *report,
				 const struct selfmon_gather *gather,
				 const struct selfmon_calibration *calibration,
				 const struct selfmon_clock *clock);

#endif
