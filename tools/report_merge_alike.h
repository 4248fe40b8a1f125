/* SPDX-License-Identifier: MIT */
/* Checks that the samples of all files stand for the same number of events. */
#ifndef SELFMON_TOOLS_REPORT_MERGE_ALIKE_H
#define SELFMON_TOOLS_REPORT_MERGE_ALIKE_H

#include "report_file.h"

/*
 * Returns true if all samples have the event, the period and the frequency of
 * `like`. If not, adds a note to the merged report.
 */
bool report_samples_alike(struct selfmon_report *to,
			  const struct selfmon_samples *like,
			  const struct report_file *files, size_t count);

#endif
