/* SPDX-License-Identifier: MIT */
/* Times of single visits: percentiles, the shortest, the longest. */
#ifndef SELFMON_REPORT_VISIT_TIMES_H
#define SELFMON_REPORT_VISIT_TIMES_H

#include "report/model.h"

/*
 * Computes percentiles, the shortest and the longest visit of all rows from
 * their sums and histograms. If a row has no histogram, its percentiles do not
 * change. Parents must precede their children. Returns 0 or -ENOMEM.
 */
int selfmon_report_visit_times(struct selfmon_report *report);

#endif
