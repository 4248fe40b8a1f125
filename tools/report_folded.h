/* SPDX-License-Identifier: MIT */
/* Writes folded stacks for flamegraph.pl, inferno and speedscope. */
#ifndef SELFMON_TOOLS_REPORT_FOLDED_H
#define SELFMON_TOOLS_REPORT_FOLDED_H

#include <stdio.h>

#include <selfmon/report.h>

/*
 * Writes one line for each region whose value is not 0: its path and its value.
 * `by` selects the value: self time in ns, visits, or the self value of a
 * counter. Returns 0, or TOOL_USAGE with a message if there is no such column.
 */
int report_folded(const struct selfmon_report *report, const char *by,
		  FILE *to);

/* Write a name, or the names of a row's regions from the top, joined by ";". */
void report_folded_name(const char *name, FILE *to);
void report_folded_path(const struct selfmon_report *report, size_t i,
			FILE *to);

#endif
