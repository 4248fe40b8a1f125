/* SPDX-License-Identifier: MIT */
/*
 * The data from which a report was made, kept for subtracting another report.
 */
#ifndef SELFMON_REPORT_RECORDED_H
#define SELFMON_REPORT_RECORDED_H

#include "report/gather.h"
#include "report/model.h"

struct selfmon_recorded {
	struct selfmon_gather gather;
	struct selfmon_calibration calibration;
	struct selfmon_clock clock;
	struct selfmon_sampling sampling;
	uint64_t ticks; /* time of the report */
	/* In the order in which the gathered rows store their values. */
	struct selfmon_report_column column[SELFMON_MAX_COUNTERS];
};

/*
 * Makes the rows of a report from report->recorded. The header must be filled
 * in already. Returns 0 or -ENOMEM; the caller must call selfmon_report_free()
 * in both cases.
 */
int selfmon_recorded_settle(struct selfmon_report *report);

#endif
