/* SPDX-License-Identifier: MIT */
/* Merges the slowest visits of several processes. */
#ifndef SELFMON_TOOLS_REPORT_MERGE_SLOWEST_H
#define SELFMON_TOOLS_REPORT_MERGE_SLOWEST_H

#include "report_file.h"

/*
 * Chooses the slowest visits of each region; regions with the same name are
 * one. Call this after the columns are merged. Returns 0, or TOOL_NO with a
 * message.
 */
int report_merge_slowest(struct selfmon_report *to,
			 const struct report_file *files, size_t count);

#endif
