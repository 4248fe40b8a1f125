/* SPDX-License-Identifier: MIT */
/*
 * Rows with suspended visits: visits of fibers, or of threads that ran fibers.
 */
#ifndef SELFMON_REPORT_SUSPENDED_H
#define SELFMON_REPORT_SUSPENDED_H

#include "report/model.h"

/* Returns true if any visit of a report was suspended and resumed. */
static inline bool selfmon_report_suspended(const struct selfmon_report *report)
{
	size_t i;

	for (i = 0; i < report->rows; i++)
		if (report->row[i].suspended)
			return true;
	return false;
}

#endif
