/* SPDX-License-Identifier: MIT */
/* Merges rows with the same name. */
#ifndef SELFMON_REPORT_VIEW_MERGE_H
#define SELFMON_REPORT_VIEW_MERGE_H

#include "report/view.h"

/*
 * Merges regions of the same name into one row. If `flat` is true, merges all
 * of them, separately for each thread if `threads` is true. Otherwise merges
 * regions with the same parent and regions inside each other (recursion). Keeps
 * the rows of threads, unless a flat view covers all threads together. Returns
 * NULL if out of memory.
 */
SELFMON_COLD
struct selfmon_report *
selfmon_view_merge(const struct selfmon_report *report, bool flat,
		   bool threads);

#endif
