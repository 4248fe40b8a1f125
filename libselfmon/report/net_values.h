/* SPDX-License-Identifier: MIT */
/* Computes the values shown in a report from recorded ones. */
#ifndef SELFMON_REPORT_NET_VALUES_H
#define SELFMON_REPORT_NET_VALUES_H

#include "report/model.h"

struct selfmon_calibration;
struct selfmon_gather;

/*
 * Computes all values of the report: converts to ns, computes self values and
 * percentiles, subtracts overhead, and sorts rows in tree order. Returns 0 or
 * -ENOMEM.
 */
int selfmon_report_settle(struct selfmon_report *report,
			  const struct selfmon_gather *gather,
			  const struct selfmon_calibration *calibration,
			  const struct selfmon_clock *clock);
/*
 * Like selfmon_report_settle(), but leaves the rows in the order in which they
 * were gathered: each parent before its children.
 */
int selfmon_report_settle_values(struct selfmon_report *report,
				 const struct selfmon_gather *gather,
				 const struct selfmon_calibration *calibration,
				 const struct selfmon_clock *clock);

#endif
