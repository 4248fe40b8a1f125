/* SPDX-License-Identifier: MIT */
/* Rows by thread. */
#ifndef SELFMON_REPORT_APART_H
#define SELFMON_REPORT_APART_H

#include "report/model.h"

/*
 * Builds report->apart from the rows that were gathered by thread, and frees
 * the gathered rows. Call when the rows of the report itself are finished.
 * Returns 0 or -ENOMEM.
 */
int selfmon_report_apart(struct selfmon_report *report);

static inline bool selfmon_row_is_thread(const struct selfmon_report *report,
					 size_t i)
{
	return report->detail && report->detail[i].thread.threads;
}

/*
 * Returns true if the report has rows by thread: its first row is then a
 * thread.
 */
static inline bool
selfmon_report_has_threads(const struct selfmon_report *report)
{
	return report->rows && selfmon_row_is_thread(report, 0);
}

/* Returns the report with rows by thread, or NULL if there is none. */
static inline const struct selfmon_report *
selfmon_report_by_thread(const struct selfmon_report *report)
{
	if (report->apart)
		return report->apart;
	/* A report that was read from a file may itself have rows by thread. */
	return selfmon_report_has_threads(report) ? report : NULL;
}

#endif
