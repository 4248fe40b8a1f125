/* SPDX-License-Identifier: MIT */
/* What a report was made of: kept, so that another one can be subtracted. */
#ifndef SELFMON_REPORT_RECORDED_H
#define SELFMON_REPORT_RECORDED_H

#include "report/gather.h"
#include "report/model.h"

struct selfmon_recorded {
	struct selfmon_gather gather;
	struct selfmon_calibration calibration;
	struct selfmon_clock clock;
	uint64_t start_ticks; /* as in struct selfmon_process */
	uint64_t ticks;       /* of the report */
	/* In the order in which the rows have them. */
	struct selfmon_report_column column[SELFMON_MAX_COUNTERS];
};

/*
 * Makes the rows of a report with a header, and keeps what they are made of.
 * 0 or -ENOMEM; selfmon_report_free() frees either.
 */
int selfmon_recorded_settle(struct selfmon_report *report);

/* NULL is accepted. */
void selfmon_recorded_free(struct selfmon_recorded *recorded);

#endif
