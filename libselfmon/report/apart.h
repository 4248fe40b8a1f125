/* SPDX-License-Identifier: MIT */
/* Rows by thread. */
#ifndef SELFMON_REPORT_APART_H
#define SELFMON_REPORT_APART_H

#include "report/model.h"

/*
 * Makes report->apart of the rows gathered by thread, and frees those. The
 * report is settled. Returns 0 or -ENOMEM.
 */
int selfmon_report_apart(struct selfmon_report *report);

/* Is the row a thread, and no region? */
static inline bool selfmon_row_is_thread(const struct selfmon_report *report,
					 size_t i)
{
	return report->detail && report->detail[i].thread.threads;
}

/* Are its rows by thread? The first one is a thread then. */
static inline bool
selfmon_report_has_threads(const struct selfmon_report *report)
{
	return report->rows && selfmon_row_is_thread(report, 0);
}

/* The report with its rows by thread; NULL: there is none. */
static inline const struct selfmon_report *
selfmon_report_by_thread(const struct selfmon_report *report)
{
	if (report->apart)
		return report->apart;
	/* One that was read from a file may have no others. */
	return selfmon_report_has_threads(report) ? report : NULL;
}

#endif
