/* SPDX-License-Identifier: MIT */
/* Folded stacks: what flamegraph.pl, inferno and speedscope read. */
#ifndef SELFMON_TOOLS_REPORT_FOLDED_H
#define SELFMON_TOOLS_REPORT_FOLDED_H

#include <stdio.h>

#include <selfmon/report.h>

/*
 * A line a region: its path and its self value, by time (ns), visits or a
 * counter. Returns 0; TOOL_USAGE, having said why, if there is no such column.
 */
int report_folded(const struct selfmon_report *report, const char *by,
		  FILE *to);

#endif
