/* SPDX-License-Identifier: MIT */
/*
 * Merges the samples of several processes. Addresses are relative to modules,
 * so equal stacks of two processes become one. Samples with different events or
 * periods cannot be added: in this case the merged report has a note instead of
 * samples.
 */
#ifndef SELFMON_TOOLS_REPORT_MERGE_SAMPLES_H
#define SELFMON_TOOLS_REPORT_MERGE_SAMPLES_H

#include "report_file.h"

/*
 * Merges the samples. Call this after the rows are merged. Returns 0, or
 * TOOL_NO with a message.
 */
int report_merge_samples(struct selfmon_report *to,
			 const struct report_file *files, size_t count);

#endif
